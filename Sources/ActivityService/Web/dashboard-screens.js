// The cards of the screens: each shows the component as on a phone, what is known of the screen, and its timeline.

import "/pending.js";
import { Aim, arrange, clockTime, copyOf, count, duration, find, set, show, write } from "/dashboard-dom.js";
import { History, matches } from "/dashboard-history.js";
import { Loop, Service } from "/dashboard-service.js";
import { Timeline } from "/dashboard-timeline.js";

/** Cards at first, and how many more each time. */
const BATCH = 24;
/** What the service gives at once. */
const PAGE = 200;
/** Seconds: how long the service may wait for a change. */
const WAIT = 20;
/** Milliseconds: the least time between two answers, and after how long the list is believed against the stream. */
const PAUSE = 500;
const DOUBT = 1_500;
/** Points: what the buttons of a title bar take at each end. */
const INSET = 44;

/** One screen. */
class Card {
    node = copyOf("card");
    #name;
    #service;
    #heard;
    #element = null;
    #kind = null;
    #state = null;
    /** What the list said last. */
    #listed = null;
    #history = new History();
    /** Every run that is known. */
    #runs = [];
    #timeline;
    #needsResume = false;

    constructor(name, scope, service, heard) {
        this.#name = name;
        this.#service = service;
        this.#heard = heard;
        this.scope = scope;
        set(this.node, "data-screen", name);
        const heading = find(".name", this.node);
        heading.id = `screen ${name}`.replaceAll(" ", "-");
        write(heading, name);
        set(find("article", this.node), "aria-labelledby", heading.id);
        const log = find(".log", this.node);
        const shownRuns = () => this.#runs.filter((run) => matches(this.tasks, run.task));
        this.#timeline = new Timeline(find(".timeline", this.node), find("ol", log), this.#history, shownRuns, service.clock);
        log.addEventListener("toggle", () => this.#timeline.update());
    }

    get tasks() {
        return this.#listed?.tasks ?? [];
    }

    get connection() {
        return this.node.isConnected ? this.#element?.connection ?? "connecting" : "live";
    }

    set span(seconds) {
        this.#timeline.span = seconds;
    }

    set runs(runs) {
        this.#runs = runs;
        this.#timeline.renewRuns();
    }

    close() {
        this.#timeline.close();
    }

    /** The service stopped answering, after `since`. */
    interrupt(since) {
        this.#history.interrupt(since);
        this.#needsResume = true;
        this.#timeline.update();
    }

    /** What the list of screens says of it. */
    listed(state) {
        this.#listed = state;
        this.#show(state.kind);
        const now = this.#service.clock.now;
        if (this.#needsResume) {
            this.#needsResume = false;
            this.#history.resume(state, now);
            this.#timeline.update();
        } else if (state.isPending || !this.#element?.state || !this.node.isConnected) {
            this.#record(state, now);
        } else if (this.#history.current) {
            this.#doubt(this.#history.current, now);
        }
        if (!this.#element.state || !this.node.isConnected) this.#state = state;
        this.tick();
    }

    /** The list says idle. The stream, which tells more exactly when, has some time to say so, too. */
    #doubt(interval, now) {
        setTimeout(() => {
            if (this.#history.current === interval && !this.#listed.isPending) this.#record(this.#listed, now);
        }, DOUBT);
    }

    #record(state, now) {
        if (this.#history.record(state, now)) this.#timeline.update();
    }

    /** Makes the component, or another one if the screen is of another kind now. */
    #show(kind) {
        if (kind === this.#kind) return;
        this.#kind = kind;
        set(this.node, "data-kind", kind);
        const isSearch = kind === "searchBar";
        const element = document.createElement(isSearch ? "pending-search-bar" : "pending-navigation-bar");
        element.setAttribute("screen", this.#name);
        if (this.scope) element.setAttribute("scope", this.scope);
        if (!isSearch) {
            element.setAttribute("leading-inset", INSET);
            element.setAttribute("trailing-inset", INSET);
        }
        element.addEventListener("change", (event) => this.#changed(event.detail));
        element.addEventListener("connection", () => this.#heard(false));
        this.#element = element;
        find(".bar", this.node).replaceChildren(
            element, ...(isSearch ? [] : document.getElementById("navigation-side").content.cloneNode(true).children));
    }

    #changed(state) {
        this.#state = state;
        const { clock } = this.#service;
        clock.wrote(Date.parse(state.pendingSince));
        // A title view whose spinner is large is as high as that, so that both stand in the middle of the bar.
        set(this.#element, "data-large", /large/i.test(state.appearance.activityStyle) ? "" : null);
        if (!this.#needsResume) this.#record(state, clock.now);
        this.tick();
        this.#heard(true);
    }

    /** Once a second, and when something is new. */
    tick() {
        if (!this.#state) return;
        const { isPending, pendingSince, runCount, fractionCompleted } = this.#state;
        set(this.node, "data-pending", isPending ? "" : null);
        const since = Date.parse(pendingSince);
        const share = fractionCompleted === null ? "" : ` · ${Math.floor(fractionCompleted * 100)} %`;
        write(find(".state-text", this.node), isPending ? `Pending for ${duration(this.#service.clock.now - since)}` : "Idle");
        write(find(".more", this.node), isPending ? `${count(runCount, "run")} · since ${clockTime(since)}${share}` : "No run");
    }
}

/** All cards of one scope. */
export class Screens {
    #service;
    #heard;
    #scope = "";
    #filter = "";
    #span = 60;
    #runs = [];
    #shown = BATCH;
    #loop = null;
    #tag = null;
    /** The screens that the service listed last, in its order. */
    #states = null;
    #hasMore = false;
    /** name → Card */
    #cards = new Map();
    #section = find("#screens");
    #list = find("#cards");
    #more = find("#more-screens");
    #aim = new Aim(find("main"));

    /** `heard(isState)` is called when a stream brought something. */
    constructor(service, heard) {
        this.#service = service;
        this.#heard = heard;
        this.#more.addEventListener("click", () => {
            this.#shown += BATCH;
            this.#tag = null;
            this.#arrange(true);
            this.#loop?.hurry();
        });
        service.addEventListener("reachability", () => {
            if (service.isReachable) return this.#loop?.hurry();
            for (const card of this.#cards.values()) card.interrupt(service.answeredAt);
        });
        setInterval(() => this.#tick(), 1_000);
    }

    /** Null before the first answer. */
    get count() {
        return this.#states?.length ?? null;
    }

    /** `stale` if that of one is. */
    get connection() {
        const all = [...this.#cards.values()].map((card) => card.connection);
        return ["stale", "connecting"].find((one) => all.includes(one)) ?? "live";
    }

    set scope(scope) {
        this.#loop?.end();
        for (const card of this.#cards.values()) card.close();
        this.#cards.clear();
        this.#list.replaceChildren();
        this.#scope = scope;
        this.#states = this.#tag = null;
        this.#shown = BATCH;
        this.#loop = new Loop((signal) => this.#turn(signal));
    }

    set filter(text) {
        this.#filter = text;
        this.#arrange(true);
    }

    set span(seconds) {
        this.#span = seconds;
        for (const card of this.#cards.values()) card.span = seconds;
    }

    /** Every run that is known, as a timeline draws it. */
    set runs(runs) {
        this.#runs = runs;
        for (const card of this.#cards.values()) card.runs = runs;
    }

    /** Something was done on this page: what comes of it may be shown at once. */
    expect() {
        this.#aim.release();
    }

    async #turn(signal) {
        const headers = this.#tag ? { "If-None-Match": this.#tag, Prefer: `wait=${WAIT}` } : {};
        const path = Service.path(this.#scope, `screens?include=tasks&limit=${PAGE}`);
        const answer = await this.#service.ask("GET", path, { headers, signal });
        if (answer.status === 304) return answer.hasWaited ? PAUSE : 4 * PAUSE;
        let { screens, next } = answer.body;
        this.#tag = answer.tag;
        while (next && screens.length < this.#shown) {
            const page = await this.#service.ask("GET", `${path}&cursor=${encodeURIComponent(next)}`, { signal });
            screens = screens.concat(page.body.screens);
            next = page.body.next;
        }
        const isFirst = this.#states === null;
        this.#states = screens;
        this.#hasMore = next !== undefined;
        for (const state of screens) this.#cards.get(state.screen)?.listed(state);
        this.#arrange(isFirst);
        return PAUSE;
    }

    /** Cards for the screens that are wanted. What would move others waits while somebody aims, unless `isAsked`. */
    #arrange(isAsked) {
        if (!this.#states) return;
        const fitting = this.#states.filter(({ screen }) => screen.toLowerCase().includes(this.#filter));
        const wanted = fitting.slice(0, this.#shown);
        const isDue = isAsked || !this.#aim.isTaken || this.#list.childElementCount === 0;
        if (isDue) {
            for (const state of wanted) if (!this.#cards.has(state.screen)) this.#add(state);
            arrange(this.#list, wanted.map(({ screen }) => this.#cards.get(screen).node));
            show(this.#more, fitting.length > wanted.length || this.#hasMore);
            show(this.#section, this.#states.length > 0);
            show(find("#no-screens"), fitting.length === 0);
            this.#drop();
        }
        const listed = `${this.#states.length.toLocaleString("en")}${this.#hasMore ? "+" : ""}`;
        write(find("#screen-count"), wanted.length === this.#states.length && !this.#hasMore ? listed : `${wanted.length} of ${listed}`);
        this.#heard(false);
    }

    #add(state) {
        const card = new Card(state.screen, this.#scope, this.#service, this.#heard);
        this.#cards.set(state.screen, card);
        card.listed(state);
        card.span = this.#span;
        card.runs = this.#runs;
    }

    /** Those that the service lists no more. */
    #drop() {
        const listed = new Set(this.#states.map(({ screen }) => screen));
        for (const [name, card] of this.#cards) {
            if (listed.has(name)) continue;
            card.close();
            this.#cards.delete(name);
        }
    }

    #tick() {
        for (const card of this.#cards.values()) card.tick();
        this.#arrange(false);
    }
}
