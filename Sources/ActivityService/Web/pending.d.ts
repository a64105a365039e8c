// pending.d.ts
