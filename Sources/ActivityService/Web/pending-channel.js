// Which views are watched, on which connections, and what has arrived of them.

/** The most views on one connection, as the service allows, and the longest list of them: many proxies take 8 KiB. */
const MOST_VIEWS = 256;
const LONGEST_LIST = 7_400;

/** Milliseconds between two plans of a channel, and for how long the next one waits for the answers to the last. */
const SPACING = 300;
const CATCHING_UP = 2_000;

const SCREEN = /^(?=.{1,128}$)[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]*){0,7}$/;
const SCOPE = /^([A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){0,3})?$/;
/** Where this module was loaded from. */
const HOME = new URL(".", import.meta.url).href;

/** What can share connections: the views of one scope that ask for the same scale, direction and the like. */
class Channel {
    static #all = new Map();
    /** The origins from which no stream comes through: a new line need not find that out again. */
    static #polled = new Set();
    #key;
    #endpoint;
    #query;
    /** id → {id, state, line, subscriptions} */
    #views = new Map();
    /** Oldest first. Those of the last plan have its number; older ones go when these have brought everything. */
    #lines = [];
    #plans = 0;
    #planning = null;
    #plannedAt = -Infinity;
    #ticking = null;

    static of(base, scope, query) {
        const endpoint = new URL(scope ? `v1/scopes/${scope}/screens` : "v1/screens", base).href;
        const key = `${endpoint}?${query}`;
        const channel = Channel.#all.get(key) ?? new Channel(key, endpoint, query);
        Channel.#all.set(key, channel);
        return channel;
    }

    static forEach(action) {
        for (const channel of Channel.#all.values()) action(channel);
    }

    constructor(key, endpoint, query) {
        this.#key = key;
        this.#endpoint = endpoint;
        this.#query = query;
    }

    get isPolled() {
        return Channel.#polled.has(new URL(this.#endpoint).origin);
    }

    set isPolled(isPolled) {
        const { origin } = new URL(this.#endpoint);
        if (isPolled) Channel.#polled.add(origin);
        else Channel.#polled.delete(origin);
    }

    address(ids, more) {
        return `${this.#endpoint}?${ids.map((id) => `id=${id}`).join("&")}${this.#query}${more}`;
    }

    // MARK: Views

    join(id, subscription) {
        let view = this.#views.get(id);
        if (!view) {
            // A connection that was opened for those who have left does not bring again what it has brought.
            const line = this.#lines.filter((one) => one.states.has(id)).at(-1) ?? null;
            view = { id, state: line?.states.get(id) ?? null, line, subscriptions: new Set() };
            this.#views.set(id, view);
        }
        view.subscriptions.add(subscription);
        this.#ticking ??= setInterval(() => this.#tick(), 1_000);
        this.#planSoon(50);
        return view;
    }

    leave(view, subscription) {
        if (!view.subscriptions.delete(subscription)) return;
        if (view.subscriptions.size === 0) this.#views.delete(view.id);
        // Later than joining: what moves within a page leaves and joins. What was replaced does not come back.
        const isOver = this.#views.size === 0
            && (subscription.isRetired || !this.#lines.some((line) => line.hasDelivered));
        this.#planSoon(isOver ? 50 : 1_000);
    }

    /** A state has arrived on `line`. Of what two bring, that of the newer one counts: the older one may lag behind. */
    deliver(line, state) {
        line.states.set(state.view, state);
        const view = this.#views.get(state.view);
        if (view && (view.line?.number ?? -1) <= line.number) {
            view.line = line;
            if (view.state?.version !== state.version) view.state = state;
            for (const subscription of [...view.subscriptions]) subscription.tell();
        }
        if (line.isComplete) this.#proceed();
    }

    // MARK: Lines

    #planSoon(after) {
        const now = performance.now();
        const delay = Math.max(after, this.#plannedAt + SPACING - now);
        if (this.#planning && this.#planning.at <= now + delay) return;
        clearTimeout(this.#planning?.timer);
        this.#planning = {
            at: now + delay,
            timer: setTimeout(() => {
                this.#planning = null;
                this.#plan();
            }, delay),
        };
    }

    /** Opens connections for the views that are wanted. Those that are open go on until the new ones have caught up. */
    #plan() {
        if (this.#views.size === 0) return this.#end();
        const isWanted = (view) => [...view.subscriptions].some((one) => !one.isRetired);
        const ids = new Set([...this.#views.values()].filter(isWanted).map((view) => view.id));
        const covered = new Set(this.#lines.flatMap((line) => line.ids));
        // A view too many costs less than a new connection, up to a point.
        if ([...ids].every((id) => covered.has(id)) && covered.size <= 2 * ids.size + 8) return;
        // Else who comes and goes faster than the service answers would see nothing.
        if (this.#lines.some((line) => line.isCatchingUp(CATCHING_UP))) return this.#planSoon(SPACING);
        this.#plannedAt = performance.now();
        for (const line of this.#lines.filter((one) => !one.hasDelivered)) this.#drop(line);
        const kept = this.#lines.filter((one) => one.ids.length === MOST_VIEWS && one.ids.every((id) => ids.has(id)));
        for (const line of kept) for (const id of line.ids) ids.delete(id);
        this.#plans += 1;
        for (const line of kept) line.number = this.#plans;
        this.#lines.push(...this.#chunks([...ids]).map((chunk) => new Line(this, this.#plans, chunk)));
        this.#proceed();
    }

    /**
     * Opens what is planned, one connection after the other, and closes those that are replaced: browsers allow few
     * to an origin, and would let the new ones wait for the end of the old ones.
     */
    #proceed() {
        const current = this.#lines.filter((line) => line.number === this.#plans);
        const isDone = current.every((line) => line.isComplete);
        for (const line of this.#lines.filter((one) => one.number < this.#plans)) {
            if (isDone || line.ids.every((id) => this.#isReplaced(id, line))) this.#drop(line);
        }
        if (current.some((line) => line.isCatchingUp(CATCHING_UP))) return;
        current.find((line) => !line.isOpened)?.open();
    }

    #isReplaced(id, line) {
        const view = this.#views.get(id);
        return !view || (view.line?.number ?? -1) > line.number;
    }

    #chunks(ids) {
        const chunks = [];
        let length = Infinity;
        for (const id of ids) {
            length += id.length + 4;
            if (length > LONGEST_LIST || chunks.at(-1).length === MOST_VIEWS) {
                chunks.push([]);
                length = id.length + 4;
            }
            chunks.at(-1).push(id);
        }
        return chunks;
    }

    #drop(line) {
        line.close();
        this.#lines = this.#lines.filter((one) => one !== line);
    }

    #tick() {
        for (const line of this.#lines) line.tick();
        this.#proceed();
        for (const view of this.#views.values()) for (const one of [...view.subscriptions]) one.tell();
    }

    #end() {
        this.suspend();
        clearInterval(this.#ticking);
        Channel.#all.delete(this.#key);
    }

    wake() {
        for (const line of this.#lines) line.wake();
    }

    suspend() {
        for (const line of this.#lines) line.close();
    }

    resume() {
        for (const line of this.#lines) if (line.isOpened) line.open();
    }
}

addEventListener("online", () => Channel.forEach((channel) => channel.wake()));
document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") Channel.forEach((channel) => channel.wake());
});
// A page with open connections is not kept for the way back.
addEventListener("pagehide", () => Channel.forEach((channel) => channel.suspend()));
addEventListener("pageshow", (event) => {
    if (event.persisted) Channel.forEach((channel) => channel.resume());
});

/** One screen that is watched. */
class Subscription {
    #channel;
    #view;
    #onState;
    #told = { state: null, connection: "connecting" };
    isRetired = false;

    constructor(channel, id, onState) {
        this.#channel = channel;
        this.#onState = onState;
        this.#view = channel.join(id, this);
        if (this.#view.state) queueMicrotask(() => this.tell());
    }

    /** The newest state, as the service sends it; null before the first. */
    get state() {
        return this.#view.state;
    }

    /** `connecting` before the first state, then `live`; `stale` when the service has been silent for too long. */
    get connection() {
        if (!this.#view.state) return "connecting";
        return this.#view.line?.isStale ?? true ? "stale" : "live";
    }

    /** Ends it; `onState` is not called again. */
    close() {
        this.#onState = null;
        this.#channel.leave(this.#view, this);
    }

    /** Goes on while a connection happens to be open for it: for the time until another one replaces it. */
    retire() {
        this.isRetired = true;
    }

    tell() {
        const { state, connection } = this;
        if (!this.#onState || (state === this.#told.state && connection === this.#told.connection)) return;
        this.#told = { state, connection };
        try {
            this.#onState(state, connection);
        } catch (error) {
            reportError(error);
        }
    }
}

const GEOMETRY = {
    scale: [0.25, 10], fontScale: [0.25, 4], barWidth: [0, 10_000], leadingInset: [0, 10_000],
    trailingInset: [0, 10_000],
};

function decimal(value) {
    return String(Number(value.toFixed(3)));
}

/**
 * Watches a screen: `onState(state, connection)` is called with each new state, and when the connection changes.
 * All that is watched in a page shares one event stream for each scope, as far as it asks for the same scale and
 * direction.
 *
 * Throws a `TypeError` for a name that breaks the service's rules and a `RangeError` for a number out of range.
 */
export function subscribe(screen, options, onState) {
    const { base = HOME, scope = "", width, height, direction } = options ?? {};
    if (typeof screen !== "string" || !SCREEN.test(screen)) {
        throw new TypeError(`no name of a screen: ${JSON.stringify(screen)}`);
    }
    if (typeof scope !== "string" || !SCOPE.test(scope)) {
        throw new TypeError(`no scope: ${JSON.stringify(scope)}`);
    }
    if (direction !== undefined && direction !== "ltr" && direction !== "rtl") {
        throw new TypeError(`direction must be ltr or rtl, not ${JSON.stringify(direction)}`);
    }
    const inRange = (name, value, [low, high]) => {
        if (typeof value !== "number" || !(value >= low && value <= high)) {
            throw new RangeError(`${name} must be a number from ${low} to ${high}, not ${value}`);
        }
        return decimal(value);
    };
    let query = "&include=appearance" + (direction ? `&direction=${direction}` : "");
    for (const [name, range] of Object.entries(GEOMETRY)) {
        if (options?.[name] !== undefined) query += `&${name}=${inRange(name, options[name], range)}`;
    }
    let id = screen;
    if (width !== undefined || height !== undefined) {
        id += `:${inRange("width", width, [0, 10_000])}x${inRange("height", height, [0, 10_000])}`;
    }
    const root = base.endsWith("/") ? base : `${base}/`;
    return new Subscription(Channel.of(new URL(root, document.baseURI).href, scope, query), id, onState);
}
