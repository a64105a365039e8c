// When a screen was pending, as far as this page has seen it. Pure: every call carries its instant, in milliseconds of the
// service's wall clock.

/** Milliseconds, and intervals: what is remembered of a screen. */
const MEMORY = 600_000;
const MOST = 400;

/**
 * The intervals of one screen in which its indicator was shown. The service says when one began (`pendingSince`); its end is
 * when the page was told. `gaps` are the times in which nobody could tell.
 */
export class History {
    /** Oldest first: `{ since, until, titles: [{ at, title }] }`; `until` is null for one that goes on. */
    intervals = [];
    /** Oldest first: `{ since, until }`. */
    gaps = [];
    /** From when on it is complete but for the gaps. */
    watchedSince = null;
    /** Every `pendingSince` of the intervals: those of one that was seen under several scopes' work are several. */
    #known = new Set();

    get current() {
        const last = this.intervals.at(-1);
        return last && last.until === null ? last : null;
    }

    /** A state of the screen has come. Returns whether anything is new. */
    record({ isPending, pendingSince, title, scope }, now) {
        this.watchedSince ??= now;
        this.#forget(now - MEMORY);
        const current = this.current;
        if (!isPending) {
            if (!current) return false;
            current.until = Math.max(current.since, now);
            return true;
        }
        const since = Date.parse(pendingSince);
        if (current && (this.#known.has(since) || since <= current.since || scope !== "")) {
            this.#known.add(since);
            return this.#retitle(current, title, now);
        }
        // Of an interval that has ended: this state is older than what is known.
        if (this.#known.has(since)) return false;
        if (current) current.until = Math.max(current.since, since);
        this.#known.add(since);
        this.intervals.push({ since, until: null, titles: [{ at: since, title }] });
        return true;
    }

    /** From `since` on nobody knows. */
    interrupt(since) {
        if (this.watchedSince === null || this.gaps.at(-1)?.until === null) return;
        this.gaps.push({ since: Math.max(since, this.watchedSince), until: null });
    }

    /** After an interruption, this is how it is. */
    resume(state, now) {
        const gap = this.gaps.at(-1);
        if (gap?.until === null) {
            gap.until = now;
            const current = this.current;
            const goesOn = state.isPending && Date.parse(state.pendingSince) <= gap.since;
            if (current && goesOn) this.#known.add(Date.parse(state.pendingSince));
            // When it ended is not known; until then it was seen.
            if (current && !goesOn) current.until = Math.max(current.since, gap.since);
        }
        return this.record(state, now);
    }

    #retitle(interval, title, now) {
        if (interval.titles.at(-1).title === title) return false;
        interval.titles.push({ at: Math.max(now, interval.titles.at(-1).at), title });
        return true;
    }

    #forget(before) {
        const isOld = ({ until }) => until !== null && until < before;
        while (this.intervals.length > MOST || (this.intervals[0] && isOld(this.intervals[0]))) {
            this.#known.delete(this.intervals.shift().since);
        }
        while (this.gaps[0] && isOld(this.gaps[0])) this.gaps.shift();
    }
}

/** Whether a run of `task` shows on a screen with these patterns. */
export function matches(patterns, task) {
    return patterns.some((pattern) => pattern.endsWith("*") ? task.startsWith(pattern.slice(0, -1)) : task === pattern);
}

/**
 * What the delays did to an interval: how long after the start of the first run it was shown, and how long after the end of the
 * last one it stayed, in milliseconds; null where the runs do not tell.
 */
export function delays({ since, until }, runs) {
    const counted = runs.filter((run) => !run.isSilent && run.from <= (until ?? Infinity) && run.to >= since);
    if (counted.length === 0) return { before: null, after: null };
    const first = Math.min(...counted.map((run) => run.from));
    const last = Math.max(...counted.map((run) => run.to));
    return { before: Math.max(0, since - first), after: until === null || last > until ? null : until - last };
}

/**
 * Gives each run a line of its own as long as it lasts: the same as before, else the first that is free. `lines` remembers, and is
 * brought up to date; runs beyond `most` lines have none.
 */
export function assignLines(runs, lines, most) {
    const present = new Set(runs.map((run) => run.key));
    for (const key of [...lines.keys()]) if (!present.has(key)) lines.delete(key);
    const taken = Array.from({ length: most }, () => []);
    const byStart = [...runs].sort((one, other) => one.from - other.from);
    for (const run of byStart) if (lines.has(run.key)) taken[lines.get(run.key)].push(run);
    for (const run of byStart) {
        if (lines.has(run.key)) continue;
        const free = taken.findIndex((line) => line.every((other) => other.to < run.from || run.to < other.from));
        if (free < 0) continue;
        lines.set(run.key, free);
        taken[free].push(run);
    }
    return runs.length - lines.size;
}
