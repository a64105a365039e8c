// Starting a run and everything that can be done to one by hand.

import { clockTime, duration, enable, find, isEnabled, make, set, write } from "/dashboard-dom.js";
import { STATES, isOpen, known, notesOf } from "/dashboard-runs.js";
import { RUN, Service, TASK } from "/dashboard-service.js";

/** What each action sends, and how the page tells that it is done. */
const ACTIONS = {
    renew: { method: "PATCH", body: {}, done: "Renewed" },
    cancel: { method: "PATCH", body: { cancelRequested: true }, done: "Asked to cancel" },
    succeeded: { method: "PATCH", body: { state: "succeeded" }, done: "Succeeded:" },
    failed: { method: "PATCH", body: { state: "failed" }, done: "Failed:" },
    canceled: { method: "PATCH", body: { state: "canceled" }, done: "Canceled:" },
    forget: { method: "DELETE", done: "Forgot" },
};

/** What the page does to runs. Tells `took(run)`, `forgot(key)`, `said(text)` and `failed(text)`. */
export class Actions {
    #service;
    #tell;

    constructor(service, tell) {
        this.#service = service;
        this.#tell = tell;
    }

    /** One of `ACTIONS`; whether it was done. */
    perform(name, run, failed) {
        const { method, body, done } = ACTIONS[name];
        return this.#send(method, Service.pathOfRun(run), body, {}, `${done} ${run.task} ${run.run}`, failed, run.key);
    }

    report(run, progress, failed) {
        return this.#send("PATCH", Service.pathOfRun(run), { progress }, {}, `${progress.completed} of ${progress.total}`, failed);
    }

    /** Without an id the service makes one; with one nothing that is there is overwritten. */
    start(scope, task, id, body, failed) {
        const said = `Started ${task}`;
        if (!id) return this.#send("POST", Service.path(scope, `tasks/${task}/runs`), body, {}, said, failed);
        return this.#send("PUT", Service.pathOfRun({ scope, task, run: id }), body, { "If-None-Match": "*" }, `${said} ${id}`, failed);
    }

    async #send(method, path, body, headers, done, failed = this.#tell.failed, key = null) {
        try {
            const answer = await this.#service.ask(method, path, { body, headers });
            if (method === "DELETE") this.#tell.forgot(key);
            else this.#tell.took(known(answer.body, answer.receivedAt, answer.receivedAt));
            this.#tell.said(done);
            return true;
        } catch (error) {
            failed(error.message);
            return false;
        }
    }
}

/** A dialog with a place for faults; a click beside it closes it. */
class Dialog {
    constructor(id) {
        this.node = find(id);
        this.fault = find(".fault", this.node);
        for (const button of this.node.querySelectorAll("[data-close]")) button.addEventListener("click", () => this.node.close());
        this.node.addEventListener("click", (event) => {
            if (event.target === this.node) this.node.close();
        });
    }

    show() {
        write(this.fault, "");
        this.node.showModal();
    }
}

/** The number in a field; undefined for an empty one. */
function number(input) {
    return input.value === "" ? undefined : input.valueAsNumber;
}

export class StartDialog extends Dialog {
    #form = find("#start-form");
    #actions;
    #scope = "";

    constructor(actions) {
        super("#start-dialog");
        this.#actions = actions;
        const { task, run, completed, total } = this.#form.elements;
        task.addEventListener("input", () => task.setCustomValidity(
            task.value === "" || TASK.test(task.value) ? "" : "Letters, digits, . _ -, the first a letter or digit; at most 8 parts."));
        run.addEventListener("input", () => run.setCustomValidity(
            run.value === "" || RUN.test(run.value) ? "" : "Letters, digits, . _ -, the first no dot."));
        const pair = () => {
            const isHalf = (completed.value === "") !== (total.value === "");
            total.setCustomValidity(isHalf ? "Both numbers, or none." : "");
        };
        completed.addEventListener("input", pair);
        total.addEventListener("input", pair);
        this.#form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.#submit();
        });
    }

    /** `tasks` are suggested. */
    open(scope, tasks) {
        this.#scope = scope;
        write(find("#start-scope"), scope ? `In the scope ${scope}.` : "In the root scope, so that every scope's screens show it.");
        find("#tasks").replaceChildren(...tasks.map((task) => {
            const option = make("option");
            option.value = task;
            return option;
        }));
        this.show();
    }

    async #submit() {
        const { task, run, title, ttl, completed, total, priority, silent } = this.#form.elements;
        const body = { ttl: number(ttl), priority: number(priority) };
        if (title.value !== "") body.title = title.value;
        if (total.value !== "") body.progress = { completed: number(completed), total: number(total) };
        if (silent.checked) body.isSilent = true;
        const isStarted = await this.#actions.start(this.#scope, task.value, run.value, body, (text) => write(this.fault, text));
        if (!isStarted) return;
        this.node.close();
        run.value = "";
    }
}

export class RunDialog extends Dialog {
    #actions;
    #clock;
    #run = null;
    #completed = find("#run-completed");
    #total = find("#run-total");

    constructor(actions, clock) {
        super("#run-dialog");
        this.#actions = actions;
        this.#clock = clock;
        this.node.addEventListener("click", (event) => {
            const button = event.target.closest("button[data-action]");
            if (button && isEnabled(button)) this.#act(button.dataset.action);
        });
        find("#progress-form").addEventListener("submit", (event) => {
            event.preventDefault();
            if (isEnabled(event.submitter ?? find("#progress-form button"))) this.#report();
        });
        setInterval(() => this.node.open && this.#write(), 1_000);
    }

    get key() {
        return this.node.open ? this.#run.key : null;
    }

    open(run) {
        this.#run = run;
        const { completed = 0, total = 10 } = run.progress ?? {};
        this.#completed.value = completed;
        this.#total.value = total;
        write(find(".said", this.node), "");
        this.#write();
        this.show();
    }

    /** The run as it is now; undefined when it is gone. */
    update(run) {
        if (!run) return;
        this.#run = run;
        this.#write();
    }

    say(text) {
        write(find(".said", this.node), text);
    }

    #failed = (text) => write(this.fault, text);

    async #act(name) {
        write(this.fault, "");
        const isDone = await this.#actions.perform(name, this.#run, this.#failed);
        if (isDone && name === "forget") this.node.close();
    }

    #report() {
        write(this.fault, "");
        this.#actions.report(this.#run, { completed: number(this.#completed), total: number(this.#total) }, this.#failed);
    }

    #write() {
        const run = this.#run;
        const isRunning = isOpen(run);
        write(find("#run-heading"), `${run.task} ${run.run}`);
        const badge = find("#run-state");
        write(badge, STATES[run.state] ?? run.state);
        set(this.node, "data-state", run.state);
        for (const button of this.node.querySelectorAll("[data-action]:not([data-action=forget]), form button")) enable(button, isRunning);
        const left = run.expiresIn - (performance.now() - run.receivedAt) / 1_000;
        const facts = {
            Title: run.title ?? "as the screen says",
            Scope: run.scope || "root",
            Priority: run.priority,
            Lease: run.state === "running" && run.expiresIn !== undefined
                ? `${left > 0 ? `${Math.ceil(left)} s left` : "overdue"} of ${run.ttl} s` : `${run.ttl} s`,
            Started: `${clockTime(run.from, 2)}, ${duration(this.#clock.now - run.from)} ago`,
            Ended: run.to === Infinity ? "–" : `${clockTime(run.to, 2)}, after ${duration(run.to - run.from, 2)}`,
            Progress: run.progress ? `${run.progress.completed} of ${run.progress.total}` : "–",
            Notes: [notesOf(run), run.reason].filter(Boolean).join("; ") || "–",
        };
        const list = find("#run-details");
        if (list.childElementCount === 0) {
            for (const name of Object.keys(facts)) {
                const group = list.appendChild(make("div"));
                group.append(make("dt", "", name), make("dd"));
            }
        }
        Object.values(facts).forEach((text, index) => write(list.children[index].lastElementChild, String(text)));
    }
}
