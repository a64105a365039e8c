// Requests to the service, what its clock says, and what its names may be.

export const TASK = /^(?=.{1,128}$)[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]*){0,7}$/;
export const RUN = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/;
export const SCOPE = /^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){0,3}$/;

/** What a request was refused with, or that no answer came. */
export class Refusal extends Error {
    /** 0 when no answer came. */
    status;

    constructor(status, message) {
        super(message);
        this.status = status;
    }
}

/** What a problem document says, in one text. */
function textOf(problem, status) {
    if (!problem || typeof problem !== "object") return `The service answered with status ${status}.`;
    const faults = Array.isArray(problem.errors) ? problem.errors.map((one) => `${one.pointer}: ${one.detail}`) : [];
    return [problem.title, problem.detail, ...faults].filter((part) => typeof part === "string" && part).join(" – ");
}

/** Milliseconds: a guess of the clock that is good enough. */
const GOOD = 30;

/**
 * The wall clock of the service, guessed from here. Each answer says its second, so it bounds the difference from both
 * sides, and one that was asked for where a second may begin halves what is left. Nothing that it wrote can be later than its now.
 */
class ServiceClock {
    #low = -Infinity;
    #high = Infinity;

    /** Milliseconds since 1970, there. */
    get now() {
        if (this.#low === -Infinity) return Date.now();
        return Date.now() + (this.#high === Infinity ? this.#low : (this.#low + this.#high) / 2);
    }

    /** Milliseconds, `least` or more: when to ask so that the answer tells most; null when there is nothing more to know. */
    pause(least) {
        if (this.#high - this.#low < GOOD) return null;
        return least + 1_000 - (this.now + least) % 1_000;
    }

    /** An answer that was asked for at `sent` and came at `received` says `date`. */
    answered(date, sent, received) {
        const second = Date.parse(date);
        if (!Number.isNaN(second)) this.#narrow(second - received, second + 1_000 - sent);
    }

    /** The service wrote `instant` before now. */
    wrote(instant) {
        if (Number.isFinite(instant)) this.#narrow(instant - Date.now(), Infinity);
    }

    #narrow(low, high) {
        this.#low = Math.max(this.#low, low);
        this.#high = Math.min(this.#high, high);
        if (this.#low <= this.#high) return;
        // One of the clocks was set.
        this.#low = low;
        this.#high = high;
    }
}

/** The service that this page comes from. Tells those who listen when it stops answering, and when it answers again. */
export class Service extends EventTarget {
    clock = new ServiceClock();
    /** Null before the first answer. */
    isReachable = null;
    /** When it answered last, by its clock. */
    answeredAt = null;

    /** The path of a resource of a scope; of the root scope for `""`. */
    static path(scope, rest) {
        return scope ? `/v1/scopes/${scope}/${rest}` : `/v1/${rest}`;
    }

    static pathOfRun({ scope, task, run }) {
        return Service.path(scope, `tasks/${encodeURIComponent(task)}/runs/${encodeURIComponent(run)}`);
    }

    /**
     * One request. The value has `status`, `body` (JSON, or null), `tag`, `hasWaited` and `receivedAt` (`performance.now()`).
     * Throws a `Refusal`, or the error of `signal`.
     */
    async ask(method, path, { body, headers = {}, signal } = {}) {
        const sent = Date.now();
        const request = { method, headers, signal, cache: "no-store", credentials: "same-origin" };
        if (body !== undefined) {
            request.headers = { ...headers, "Content-Type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
            request.body = JSON.stringify(body);
        }
        let response;
        let content = null;
        try {
            response = await fetch(path, request);
            const type = response.headers.get("Content-Type") ?? "";
            const received = Date.now();
            this.clock.answered(response.headers.get("Date"), sent, received);
            if (type.includes("json")) content = await response.json();
        } catch (error) {
            if (signal?.aborted) throw error;
            this.#reached(false);
            throw new Refusal(0, "The service does not answer.");
        }
        this.#reached(true);
        if (!response.ok && response.status !== 304) throw new Refusal(response.status, textOf(content, response.status));
        return {
            status: response.status, body: content, tag: response.headers.get("ETag"),
            hasWaited: response.headers.has("Preference-Applied"), receivedAt: performance.now(),
        };
    }

    #reached(isReachable) {
        if (isReachable) this.answeredAt = this.clock.now;
        if (isReachable === this.isReachable) return;
        this.isReachable = isReachable;
        this.dispatchEvent(new Event("reachability"));
    }
}

/** Milliseconds: the longest pause after refusals. */
const LONGEST_PAUSE = 15_000;

/**
 * Does something again and again while the page is seen. `turn(signal)` returns the pause until the next, in milliseconds;
 * after a refusal the pause is longer each time.
 */
export class Loop {
    #turn;
    #stop = new AbortController();
    #failures = 0;
    #timer = null;
    #isBusy = false;
    #isWanted = false;

    constructor(turn) {
        this.#turn = turn;
        document.addEventListener("visibilitychange", () => this.hurry(), { signal: this.#stop.signal });
        addEventListener("online", () => this.hurry(), { signal: this.#stop.signal });
        this.hurry();
    }

    /** The next turn comes now, or right after the one that goes on. */
    hurry() {
        this.#isWanted = this.#isBusy;
        if (!this.#isBusy) this.#schedule(0);
    }

    end() {
        this.#stop.abort();
        clearTimeout(this.#timer);
    }

    #schedule(pause) {
        clearTimeout(this.#timer);
        if (this.#stop.signal.aborted || document.visibilityState === "hidden") return;
        this.#timer = setTimeout(() => this.#run(), pause);
    }

    async #run() {
        this.#isBusy = true;
        let pause = 0;
        try {
            pause = await this.#turn(this.#stop.signal);
            this.#failures = 0;
        } catch (error) {
            if (this.#stop.signal.aborted) return;
            if (!(error instanceof Refusal)) reportError(error);
            this.#failures += 1;
            pause = Math.min(LONGEST_PAUSE, 1_000 * 2 ** (this.#failures - 1)) * (0.75 + Math.random() / 2);
        }
        this.#isBusy = false;
        this.#schedule(this.#isWanted && this.#failures === 0 ? 0 : pause);
        this.#isWanted = false;
    }
}
