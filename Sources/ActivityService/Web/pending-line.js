// The client module of Pending: indicators in a page, always as the service says. No dependencies.
//
//     <script type="module" src="https://pending.example/pending.js"></script>
//     <pending-navigation-bar screen="chats"></pending-navigation-bar>
//
// Here: one connection to the service.

/** Milliseconds: how long a connection may bring nothing before another way is tried. */
const PATIENCE = 10_000;
/** Milliseconds between two attempts to get from polling back to a stream. */
const PROBE_INTERVAL = 60_000;
/** Seconds: what a poll waits for a change, and when the next event comes at the latest if a stream does not say. */
const POLL_WAIT = 20;
const USUAL_WITHIN = 18;
/** Seconds: between two polls that the service did not make wait, and the longest that it can ask for. */
const POLL_INTERVAL = 2;
const LONGEST_PAUSE = 300;

/** A point in time. The steady clock stands still while a computer sleeps, the other may be set: the later counts. */
class Mark {
    #steady = performance.now();
    #wall = Date.now();

    /** Milliseconds since then. */
    get age() {
        return Math.max(performance.now() - this.#steady, Date.now() - this.#wall);
    }
}

/** One connection for a fixed list of views: an event stream, or polling where no stream comes through. */
class Line {
    /** When an event came last; until then, when it was made. */
    heard = new Mark();
    /** Seconds until the next event at the latest. */
    within = USUAL_WITHIN;
    /** What has come last, by view. */
    states = new Map();
    #channel;
    #source = null;
    #hasSpoken = false;
    #opened = null;
    #failures = 0;
    #retryAfter = 0;
    #poller = null;
    #lastProbe = null;

    constructor(channel, number, ids) {
        this.#channel = channel;
        this.number = number;
        this.ids = ids;
    }

    get hasDelivered() {
        return this.states.size > 0;
    }

    /** A state of every view has come. */
    get isComplete() {
        return this.states.size === this.ids.length;
    }

    get isOpened() {
        return this.#opened !== null;
    }

    /** It was opened less than `patience` milliseconds ago, has not failed, and not every state has come. */
    isCatchingUp(patience) {
        return this.isOpened && !this.isComplete && this.#failures === 0 && this.#opened.age < patience;
    }

    /** Nothing has come for twice the time in which something must. */
    get isStale() {
        return this.heard.age > 2_000 * this.within;
    }

    open() {
        this.#opened = new Mark();
        if (typeof EventSource !== "function") return this.#poll();
        if (!this.#channel.isPolled) return this.#listen();
        this.#lastProbe = new Mark();
        this.#poll();
    }

    close() {
        this.#source?.close();
        this.#source = null;
        this.#poller?.abort();
        this.#poller = null;
    }

    /** Once a second. */
    tick() {
        if (this.#source) {
            const isSilent = this.#hasSpoken ? this.isStale : this.#opened.age > PATIENCE;
            if (isSilent) this.#fail();
        } else if (this.#poller) {
            if (this.#lastProbe && this.#lastProbe.age > PROBE_INTERVAL) this.#listen();
        } else if (this.#opened && this.#opened.age > this.#retryAfter) {
            this.#listen();
        }
    }

    /** The page is seen again, or the network is back: what has been silent is probably dead. */
    wake() {
        if (this.heard.age > 1_000 * this.within && this.#source) this.#listen();
    }

    #listen() {
        this.#source?.close();
        const source = new EventSource(this.#channel.address(this.ids, "&format=sse&heartbeat=event"));
        this.#source = source;
        this.#hasSpoken = false;
        this.#opened = new Mark();
        source.addEventListener("state", (event) => {
            this.#hear(source);
            this.#channel.deliver(this, JSON.parse(event.data));
        });
        source.addEventListener("heartbeat", (event) => {
            this.within = Number(JSON.parse(event.data).within) || USUAL_WITHIN;
            this.#hear(source);
        });
        source.addEventListener("error", () => {
            // Else the browser is connecting again by itself.
            if (source.readyState === EventSource.CLOSED && source === this.#source) this.#fail();
        });
    }

    #hear(source) {
        this.heard = new Mark();
        if (source !== this.#source || this.#hasSpoken) return;
        this.#hasSpoken = true;
        this.#failures = 0;
        this.#channel.isPolled = false;
        this.#poller?.abort();
        this.#poller = null;
    }

    /** The stream has ended for good, or says nothing. */
    #fail() {
        this.#source.close();
        this.#source = null;
        this.#failures += 1;
        this.#retryAfter = 1_000 + 2_000 * Math.random();
        if (this.#failures < 2) return;
        this.#channel.isPolled = true;
        this.#lastProbe = new Mark();
        if (!this.#poller) this.#poll();
    }

    async #poll() {
        const stop = new AbortController();
        this.#poller = stop;
        let tag = null;
        let failures = 0;
        while (!stop.signal.aborted) {
            let pause = 0.25;
            try {
                const answer = await this.#ask(tag, stop.signal);
                if (stop.signal.aborted) return;
                if (answer.screens || answer.isUnchanged) {
                    this.heard = new Mark();
                    // Who could not answer a minute ago may be able to stream now.
                    if (failures > 0 && this.#lastProbe && !this.#source) this.#listen();
                    failures = 0;
                    tag = answer.tag;
                    for (const state of answer.screens ?? []) this.#channel.deliver(this, state);
                }
                pause = Math.max(pause, answer.pause);
            } catch {
                pause = Math.min(10, 2 ** failures) * (0.5 + Math.random() / 2);
                failures += 1;
            }
            await new Promise((next) => setTimeout(next, 1_000 * pause));
        }
    }

    /** One poll, which waits for a change if `tag` names a state. */
    async #ask(tag, signal) {
        const late = new AbortController();
        const timer = setTimeout(() => late.abort(), 2_000 * POLL_WAIT);
        const stopped = () => late.abort();
        signal.addEventListener("abort", stopped, { once: true });
        try {
            const response = await fetch(this.#channel.address(this.ids, "&format=json"), {
                cache: "no-store",
                signal: late.signal,
                headers: tag ? { "If-None-Match": tag, Prefer: `wait=${POLL_WAIT}` } : {},
            });
            const retry = Math.min(Number(response.headers.get("Retry-After")) || 0, LONGEST_PAUSE);
            // Else something between here and the service keeps the wish to wait, or the tag, to itself.
            const hasWaited = response.headers.has("Preference-Applied");
            if (response.status === 200) {
                const { screens } = await response.json();
                const newTag = response.headers.get("ETag");
                return { screens, tag: newTag, pause: hasWaited || (newTag && !tag) ? 0 : POLL_INTERVAL };
            }
            if (response.status === 304) {
                return { isUnchanged: true, tag, pause: retry || (hasWaited ? 0 : POLL_INTERVAL) };
            }
            return { pause: retry || POLL_WAIT / 2 };
        } finally {
            clearTimeout(timer);
            signal.removeEventListener("abort", stopped);
        }
    }
}
