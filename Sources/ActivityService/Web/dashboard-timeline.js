// Draws a screen's last minutes: when its indicator was shown, above the runs that were the reason.

import { assignLines, delays } from "/dashboard-history.js";
import { arrange, clockTime, count, duration, make, set, show, write } from "/dashboard-dom.js";

/** Seconds to the number of parts that the axis has. */
export const SPANS = new Map([[15, 3], [60, 4], [300, 5]]);
/** The most lines of runs, and of intervals in words. */
const MOST_LINES = 6;
const MOST_ENTRIES = 8;
/** Milliseconds: what goes on ends so far in the future, to the right of what is seen. */
const AHEAD = 3_600_000;
/** Milliseconds: positions are counted from an origin that is no older. */
const OLDEST_ORIGIN = 7_200_000;
/** Pixels: what an interval's title leaves free, and the least that it is shown with. */
const PADDING = 12;
const LEAST_ROOM = 18;
/** Milliseconds between two steps of what moves. */
const STEP = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1_000 : 100;

/** All timelines that are seen; one timer moves them. */
const moving = new Set();
setInterval(() => {
    if (document.visibilityState === "visible") for (const timeline of moving) timeline.move();
}, STEP);

const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) timelines.get(target)?.sees(isIntersecting);
}, { rootMargin: "200px" });
const sized = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) timelines.get(target)?.resize(contentRect.width);
});
const timelines = new WeakMap();

function spanInWords(seconds) {
    return seconds < 60 ? `${seconds} seconds` : seconds === 60 ? "minute" : `${seconds / 60} minutes`;
}

/** What a mark of the axis says, `seconds` before now. */
function markText(seconds) {
    if (seconds === 0) return "now";
    return seconds % 60 === 0 ? `−${seconds / 60} min` : `−${seconds} s`;
}

export class Timeline {
    #root;
    #view;
    #track;
    #axis;
    #list;
    #clock;
    #history;
    /** What it draws of them, and whether they are newer. */
    #runs = [];
    #runsOf;
    #hasNewRuns = true;
    #span = 60;
    #width = 0;
    #origin;
    #isSeen = false;
    /** key → {node, from, to} */
    #bars = new Map();
    #lines = new Map();

    /**
     * `root` is the picture, `list` its intervals in words; both are filled from `history` and from `runsOf()`, which gives the runs
     * that the screen shows: `{ key, task, run, state, isSilent, from, to }`, `to` infinite while running.
     */
    constructor(root, list, history, runsOf, clock) {
        this.#runsOf = runsOf;
        this.#root = root;
        this.#view = root.querySelector(".view");
        this.#track = root.querySelector(".track");
        this.#axis = root.querySelector(".axis");
        this.#list = list;
        this.#history = history;
        this.#clock = clock;
        this.#origin = clock.now;
        timelines.set(this.#view, this);
        seen.observe(this.#view);
        sized.observe(this.#view);
    }

    close() {
        seen.unobserve(this.#view);
        sized.unobserve(this.#view);
        moving.delete(this);
    }

    set span(seconds) {
        this.#span = seconds;
        const parts = SPANS.get(seconds);
        this.#view.style.setProperty("--parts", parts);
        const marks = Array.from({ length: parts + 1 }, (_, index) => seconds - index * seconds / parts);
        this.#axis.replaceChildren(...marks.map((mark) => make("span", "", markText(mark))));
        this.update();
    }

    /** There are others, or they have changed. */
    renewRuns() {
        this.#hasNewRuns = true;
        this.update();
    }

    sees(isSeen) {
        this.#isSeen = isSeen;
        if (!isSeen) return moving.delete(this);
        moving.add(this);
        return this.update();
    }

    resize(width) {
        this.#width = width;
        this.update();
    }

    /** Something is new. */
    update() {
        if (!this.#isSeen || this.#width === 0) return;
        if (this.#hasNewRuns) this.#runs = this.#runsOf();
        this.#hasNewRuns = false;
        const now = this.#clock.now;
        if (now - this.#origin > OLDEST_ORIGIN) {
            this.#origin = now;
            this.#bars.clear();
        }
        const start = now - this.#span * 1_000;
        const bars = [...this.#unknown(start, now), ...this.#shown(start), ...this.#running(start, now)];
        const old = this.#bars;
        this.#bars = new Map(bars.map((bar) => [bar.key, this.#place(old.get(bar.key)?.node, bar)]));
        arrange(this.#track, [...this.#bars.values()].map((bar) => bar.node));
        this.#describe(start, now);
        this.#write();
        this.move();
    }

    /** Time has passed. */
    move() {
        const now = this.#clock.now;
        const start = now - this.#span * 1_000;
        const scale = this.#width / (this.#span * 1_000);
        this.#track.style.transform = `translateX(${(this.#origin - start) * scale}px)`;
        for (const bar of this.#bars.values()) {
            if (!bar.label) continue;
            const cut = Math.max(0, (Math.min(start, bar.to) - bar.from) * scale);
            const room = (Math.min(bar.to, now) - Math.max(bar.from, start)) * scale - PADDING;
            bar.label.style.transform = cut > 0 ? `translateX(${cut}px)` : "";
            bar.label.style.width = `${Math.max(0, room)}px`;
            show(bar.label, room > LEAST_ROOM);
        }
    }

    // MARK: What is drawn

    #unknown(start, now) {
        const { gaps, watchedSince } = this.#history;
        const times = gaps.map(({ since, until }) => ({ from: since, to: until ?? Infinity }));
        if (watchedSince === null || watchedSince > start) times.unshift({ from: start - AHEAD, to: watchedSince ?? now });
        return times.filter(({ to }) => to > start).map(({ from, to }) => ({
            key: `unknown ${from > start ? from : "start"}`, kind: "unknown", from, to, hint: "Not watched",
        }));
    }

    #shown(start) {
        return this.#history.intervals.flatMap(({ since, until, titles }) => titles.map(({ at, title }, index) => {
            const to = titles[index + 1]?.at ?? until ?? Infinity;
            return { key: `shown ${since} ${index}`, kind: "shown", from: at, to, text: title };
        })).filter(({ to }) => to > start).map((bar) => ({ ...bar, hint: `${bar.text}\n${this.#times(bar)}` }));
    }

    #running(start, now) {
        const runs = this.#runs.filter((run) => run.to > start && run.from < now + AHEAD);
        const hidden = assignLines(runs, this.#lines, MOST_LINES);
        set(this.#view, "data-more", hidden > 0 ? `+${hidden}` : null);
        return runs.filter((run) => this.#lines.has(run.key)).map((run) => ({
            key: `run ${run.key}`, kind: "run", state: run.state, isSilent: run.isSilent, from: run.from, to: run.to,
            line: this.#lines.get(run.key), hint: `${run.task} ${run.run}: ${run.state}\n${this.#times(run)}`,
        }));
    }

    #times({ from, to }) {
        if (to === Infinity) return `since ${clockTime(from, 2)}`;
        return `${clockTime(from, 2)} – ${clockTime(to, 2)}, ${duration(to - from, 2)}`;
    }

    #place(known, { key, kind, state, isSilent, from, to, line, text, hint }) {
        const node = known ?? make("div", `span ${kind}`);
        const scale = this.#width / (this.#span * 1_000);
        const end = Math.min(to, this.#clock.now + AHEAD);
        const begin = Math.max(from, this.#origin - OLDEST_ORIGIN);
        const label = text === undefined ? null : node.firstElementChild ?? node.appendChild(make("span"));
        if (label) write(label, text);
        set(node, "data-key", key);
        set(node, "data-from", from);
        set(node, "data-to", to === Infinity ? null : to);
        set(node, "data-state", state ?? null);
        set(node, "data-silent", isSilent ? "" : null);
        set(node, "title", hint);
        if (line !== undefined) node.style.setProperty("--line", line);
        node.style.left = `${(begin - this.#origin) * scale}px`;
        node.style.width = `${Math.max(0, end - begin) * scale}px`;
        return { node, label, from: begin, to: end };
    }

    // MARK: In words

    #describe(start, now) {
        const shown = this.#history.intervals.filter(({ until }) => (until ?? Infinity) > start);
        const time = shown.reduce((sum, { since, until }) => sum + (until ?? now) - Math.max(since, start), 0);
        const times = shown.length === 0 ? "not shown" : `shown ${count(shown.length, "time")}, ${duration(time, 1)} in all`;
        const runs = count(this.#runs.filter((run) => run.to > start).length, "run");
        set(this.#root, "aria-label", `Last ${spanInWords(this.#span)}: indicator ${times}; ${runs}`);
    }

    /** The newest intervals, if they are looked at. */
    #write() {
        if (!this.#list.parentElement.open) return;
        const entries = this.#history.intervals.slice(-MOST_ENTRIES).reverse().map((interval) => {
            const { since, until, titles } = interval;
            const { before, after } = delays(interval, this.#runs);
            const known = [...this.#list.children].find((one) => one.dataset.since === String(since));
            const node = known ?? make("li");
            if (!known) node.append(make("b"), make("span"), make("small"));
            set(node, "data-since", since);
            write(node.children[0], titles.map(({ title }) => title).join(" → "));
            write(node.children[1], this.#times({ from: since, to: until ?? Infinity }));
            const facts = [
                before === null ? null : `${duration(before, 2)} after the first start`,
                after === null ? null : `${duration(after, 2)} beyond the last end`,
            ];
            write(node.children[2], facts.filter(Boolean).join(", "));
            return node;
        });
        if (entries.length === 0) entries.push(this.#list.querySelector(".none") ?? make("li", "none", "None since this page was opened."));
        arrange(this.#list, entries);
    }
}
