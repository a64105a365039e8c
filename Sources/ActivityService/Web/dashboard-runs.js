// The table of runs: rows that are made once, kept up to date in place, and moved only while nobody is about to click.

import { Aim, arrange, clockTime, copyOf, count, duration, enable, find, isEnabled, set, show, write } from "/dashboard-dom.js";
import { Loop, Service, TASK } from "/dashboard-service.js";

/** What the service gives at once; rows at first, and how many more each time. */
const PAGE = 200;
const BATCH = 100;
/** Milliseconds between two polls; they take at most a tenth of the time. */
const PAUSE = 2_000;
/** Milliseconds: the least time between two polls that the clock is read from. */
const HASTE = 200;

export const STATES = { running: "Running", lost: "Lost", succeeded: "Succeeded", failed: "Failed", canceled: "Canceled" };

/** Whether the service still takes renewals and an end of a run. */
export function isOpen(run) {
    return run.state === "running" || run.state === "lost";
}

/** What else is to be said of a run, beside its state. */
export function notesOf(run) {
    return [
        run.cancelRequested && isOpen(run) ? "cancel requested" : null, run.isSilent ? "silent" : null, run.isLate ? "late" : null,
        run.revivalCount > 0 ? `revived ${run.revivalCount === 1 ? "once" : `${run.revivalCount} times`}` : null,
    ].filter(Boolean).join(", ");
}

/** A run of an answer, with what the page computes with: milliseconds of the service's clock, and when it was so. */
export function known(run, askedAt, receivedAt) {
    return {
        ...run, key: `${run.scope}/${run.task}/${run.run}`, askedAt, receivedAt, from: Date.parse(run.startedAt),
        to: run.endedAt === null ? Infinity : Date.parse(run.endedAt),
    };
}

/** A scope and those above it, whose runs its screens show, too. */
function chain(scope) {
    const labels = scope === "" ? [] : scope.split(".");
    return [...labels.map((_, index) => labels.slice(0, labels.length - index).join(".")), ""];
}

class Row {
    node = copyOf("row");
    run;
    #drawn;
    #cells = Object.fromEntries(["task", "run", "state", "progress", "age", "lease"].map((name) => [name, find(`.${name}`, this.node)]));

    constructor(run, scope) {
        const { task, run: id } = run;
        this.run = run;
        set(this.node, "data-key", run.key);
        write(find(".task-name", this.node), task);
        write(find("code", this.node), id);
        write(find(".scope", this.node), run.scope === scope ? "" : `scope ${run.scope || "root"}`);
        for (const button of this.node.querySelectorAll("button")) set(button, "aria-label", `${button.textContent} ${task} ${id}`);
    }

    /** Null when the service knows it no more. */
    update(run) {
        if (run === this.#drawn) return;
        this.#drawn = run;
        set(this.node, "data-gone", run ? null : "");
        for (const button of this.node.querySelectorAll("button")) {
            enable(button, run && (button.dataset.action === "details" || isOpen(run)));
        }
        if (!run) return write(find(".badge", this.node), "Forgotten");
        this.run = run;
        const { state, title, reason, progress } = run;
        set(this.node, "data-state", state);
        write(find(".task-title", this.node), title || reason || (title === "" ? "without a text" : "titled by its screen"));
        write(find(".badge", this.node), STATES[state] ?? state);
        write(find(".notes", this.node), notesOf(run));
        const meter = find(".meter", this.#cells.progress);
        show(meter, progress !== null);
        if (progress) meter.firstElementChild.style.width = `${Math.min(100, 100 * progress.completed / progress.total)}%`;
        write(find(".second", this.#cells.progress), progress ? `${progress.completed} of ${progress.total}` : "–");
    }

    tick(service) {
        const { run } = this;
        const [first, second] = this.#cells.age.children;
        if (run.to === Infinity) {
            write(first, duration(service.clock.now - run.from));
            write(second, `since ${clockTime(run.from)}`);
        } else {
            write(first, `took ${duration(run.to - run.from, 2)}`);
            write(second, `until ${clockTime(run.to)}`);
        }
        this.#tickLease(service.isReachable !== false);
    }

    #tickLease(isCertain) {
        const { run } = this;
        const [text, meter] = this.#cells.lease.children;
        const counts = run.state === "running" && isCertain && !this.node.hasAttribute("data-gone");
        show(meter, counts);
        if (!counts) return write(text, run.state !== "running" ? "–" : "unknown");
        const left = run.expiresIn - (performance.now() - run.receivedAt) / 1_000;
        const share = Math.max(0, Math.min(1, left / run.ttl));
        set(meter, "data-low", share < 0.25 ? "" : null);
        meter.firstElementChild.style.width = `${100 * share}%`;
        return write(text, left > 0 ? duration(1_000 * Math.ceil(left)) : "overdue");
    }
}

export class Runs {
    #service;
    #changed;
    #scope = "";
    #state = "all";
    #filter = "";
    #shown = BATCH;
    #loop = null;
    #hasMore = false;
    /** Every run that is known, for the timelines; and the keys of those that the state asks for. */
    #all = new Map();
    #listed = null;
    /** key → when it was forgotten, here. */
    #forgotten = new Map();
    #rows = new Map();
    #body = find("#rows");
    #aim = new Aim(this.#body);
    #fresh = find("#new-runs");

    /** `changed()` is called after each answer, `act(action, run)` for the buttons of a row. */
    constructor(service, changed, act) {
        this.#service = service;
        this.#changed = changed;
        this.#body.addEventListener("click", (event) => {
            const button = event.target.closest("button[data-action]");
            const row = button && this.#rows.get(button.closest("tr").dataset.key);
            if (row && isEnabled(button)) act(button.dataset.action, row.run);
        });
        this.#fresh.addEventListener("click", () => {
            this.#arrange(true);
            find("#runs-heading").focus();
        });
        find("#more-runs").addEventListener("click", () => {
            this.#shown += BATCH;
            this.#arrange(true);
            this.refresh();
        });
        service.addEventListener("reachability", () => service.isReachable && this.refresh());
        setInterval(() => this.#tick(), 1_000);
    }

    get all() {
        return [...this.#all.values()];
    }

    /** Null before the first answer. */
    get count() {
        return this.#listed && this.#all.size;
    }

    get(key) {
        return this.#all.get(key);
    }

    set scope(scope) {
        this.#scope = scope;
        this.#all.clear();
        this.#forgotten.clear();
        this.#restart();
    }

    set state(state) {
        this.#state = state;
        this.#restart();
    }

    set filter(text) {
        this.#filter = text;
        this.#shown = BATCH;
        this.#arrange(true);
        if (this.#hasMore) this.refresh();
    }

    refresh() {
        this.#loop?.hurry();
    }

    /** What an action was answered with. */
    took(run) {
        this.#all.set(run.key, run);
        this.#forgotten.delete(run.key);
        if (this.#state === "all" || run.state === this.#state) this.#listed?.add(run.key);
        this.#aim.release();
        this.#arrange(true);
        this.refresh();
    }

    forgot(key) {
        this.#forgotten.set(key, performance.now());
        this.#all.delete(key);
        this.#arrange(true);
        this.refresh();
    }

    // MARK: Asking

    #restart() {
        this.#loop?.end();
        this.#rows.clear();
        this.#body.replaceChildren();
        this.#listed = null;
        this.#shown = BATCH;
        this.#loop = new Loop((signal) => this.#turn(signal));
    }

    async #turn(signal) {
        const askedAt = performance.now();
        const scopes = chain(this.#scope);
        const isEvery = this.#state === "all";
        const lists = await Promise.all(scopes.map((scope) => this.#read(scope, "state=all", isEvery ? this.#shown : PAGE, signal)));
        const listed = isEvery ? [...lists] : await Promise.all(
            scopes.map((scope) => this.#read(scope, `state=${this.#state}`, this.#shown, signal)));
        this.#hasMore = listed.some((list) => list.hasMore);
        if (this.#hasMore && TASK.test(this.#filter)) {
            listed.push(...await Promise.all(
                scopes.map((scope) => this.#read(scope, `state=${this.#state}&task=${this.#filter}`, PAGE, signal))));
        }
        const before = this.#all;
        this.#all = new Map();
        for (const run of [...lists, ...listed].flatMap((list) => list.runs)) {
            const own = before.get(run.key);
            if (askedAt < (this.#forgotten.get(run.key) ?? -Infinity)) continue;
            this.#all.set(run.key, own && own.askedAt > run.askedAt ? own : run);
        }
        // What was started meanwhile.
        for (const [key, run] of before) if (run.askedAt > askedAt && !this.#all.has(key)) this.#all.set(key, run);
        const isFirst = this.#listed === null;
        this.#listed = new Set(listed.flatMap((list) => list.runs.map((run) => run.key)));
        this.#arrange(isFirst);
        this.#changed();
        const taken = 10 * (performance.now() - askedAt);
        return this.#service.clock.pause(Math.max(HASTE, taken)) ?? Math.max(PAUSE, taken);
    }

    /** The first `wanted` runs and the rest of their page. */
    async #read(scope, query, wanted, signal) {
        const runs = [];
        let next = "";
        do {
            const askedAt = performance.now();
            const cursor = next && `&cursor=${encodeURIComponent(next)}`;
            const answer = await this.#service.ask("GET", Service.path(scope, `runs?${query}&limit=${PAGE}${cursor}`), { signal });
            runs.push(...answer.body.items.map((run) => known(run, askedAt, answer.receivedAt)));
            next = answer.body.next;
        } while (next && runs.length < wanted);
        return { runs, hasMore: next !== undefined };
    }

    // MARK: Showing

    #fits(run) {
        if (!this.#listed.has(run.key) || (this.#state !== "all" && run.state !== this.#state)) return false;
        return [run.task, run.run, run.title ?? ""].some((text) => text.toLowerCase().includes(this.#filter.toLowerCase()));
    }

    #arrange(isAsked) {
        if (!this.#listed) return;
        const fitting = this.all.filter((run) => this.#fits(run))
            .sort((one, other) => other.from - one.from || (one.key < other.key ? -1 : 1));
        const wanted = fitting.slice(0, this.#shown);
        const isDue = isAsked || !this.#aim.isTaken || this.#rows.size === 0;
        const fresh = wanted.filter((run) => !this.#rows.has(run.key));
        if (isDue) {
            for (const run of fresh) this.#rows.set(run.key, new Row(run, this.#scope));
            const kept = new Set(wanted.map((run) => run.key));
            for (const [key, row] of this.#rows) {
                if (!kept.has(key) && (isAsked || !row.node.contains(document.activeElement))) this.#rows.delete(key);
            }
            const rows = [...this.#rows.values()];
            rows.sort((one, other) => other.run.from - one.run.from || (one.run.key < other.run.key ? -1 : 1));
            arrange(this.#body, rows.map((row) => row.node));
        }
        for (const [key, row] of this.#rows) {
            row.update(this.#all.get(key) ?? null);
            row.tick(this.#service);
        }
        show(this.#fresh, !isDue && fresh.length > 0);
        write(this.#fresh, `Show ${count(fresh.length, "new run")}`);
        show(find("#more-runs"), fitting.length > wanted.length || this.#hasMore);
        show(find("#table"), this.#rows.size > 0);
        show(find("#no-runs"), this.#rows.size === 0);
        write(find("#no-runs"), this.#hasMore ? "None of the runs that were looked at fits." : "No run fits.");
        this.#count(wanted.length);
    }

    #count(number) {
        const shown = number.toLocaleString("en");
        const total = `${this.#listed.size.toLocaleString("en")}${this.#hasMore ? "+" : ""}`;
        const age = this.#service.isReachable === false
            ? `, as of ${duration(this.#service.clock.now - this.#service.answeredAt)} ago` : "";
        write(find("#run-count"), (shown === total ? total : `${shown} of ${total}`) + age);
    }

    #tick() {
        if (this.#listed && document.visibilityState === "visible") this.#arrange(false);
    }
}
