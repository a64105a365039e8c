// The page at `/`: puts its parts together, and keeps in the address what is looked at, so that it can be shared.

import { find, make, set, show, write } from "/dashboard-dom.js";
import { Actions, RunDialog, StartDialog } from "/dashboard-dialogs.js";
import { Runs, STATES } from "/dashboard-runs.js";
import { Screens } from "/dashboard-screens.js";
import { SCOPE, Service } from "/dashboard-service.js";
import { SPANS } from "/dashboard-timeline.js";

/** Milliseconds: how long a message is seen, and the least time between two looks at the runs for the sake of a screen. */
const READING = 4_000;
const HASTE = 400;

const service = new Service();
const actions = new Actions(service, {
    took(run) {
        screens.expect();
        runs.took(run);
        runDialog.update(runDialog.key === run.key ? run : undefined);
        spread();
    },
    forgot(key) {
        runs.forgot(key);
        spread();
    },
    said,
    failed,
});
const startDialog = new StartDialog(actions);
const runDialog = new RunDialog(actions, service.clock);
const screens = new Screens(service, heard);
const runs = new Runs(service, spread, (action, run) => action === "details" ? runDialog.open(run) : actions.perform(action, run));

// MARK: What is looked at

const view = { scope: "", filter: "", state: "all", span: 60 };
const usedScopes = new Set();

function readAddress() {
    const values = new URLSearchParams(location.hash.slice(1));
    const scope = values.get("scope") ?? "";
    const span = Number(values.get("span"));
    const state = values.get("state");
    return {
        scope: SCOPE.test(scope) ? scope : "", filter: values.get("filter") ?? "",
        state: Object.hasOwn(STATES, state) ? state : "all", span: SPANS.has(span) ? span : 60,
    };
}

function writeAddress() {
    const values = new URLSearchParams();
    if (view.scope) values.set("scope", view.scope);
    if (view.filter) values.set("filter", view.filter);
    if (view.state !== "all") values.set("state", view.state);
    if (view.span !== 60) values.set("span", view.span);
    const hash = String(values);
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname);
}

/** Shows what differs from before; everything when `isFirst`. */
function look(wanted, isFirst = false) {
    const changed = (name) => isFirst || wanted[name] !== view[name];
    const { scope, filter, state, span } = { ...view, ...wanted };
    const isElsewhere = changed("scope");
    const next = { scope: isElsewhere, filter: changed("filter"), state: changed("state"), span: changed("span") };
    Object.assign(view, { scope, filter, state, span });
    if (next.filter) {
        screens.filter = filter.toLowerCase();
        runs.filter = filter;
    }
    if (next.span) screens.span = span;
    if (next.state) runs.state = state;
    if (next.scope) {
        screens.scope = scope;
        runs.scope = scope;
        if (scope && !usedScopes.has(scope)) {
            usedScopes.add(scope);
            const option = find("#scopes").appendChild(make("option"));
            option.value = scope;
        }
        write(find("#command"), command());
    }
    fill();
    writeAddress();
}

/** The controls say what is looked at. */
function fill() {
    const fields = { "#scope": view.scope, "#filter": view.filter, "#state": view.state };
    for (const [selector, value] of Object.entries(fields)) if (find(selector).value !== value) find(selector).value = value;
    find(`#spans input[value="${view.span}"]`).checked = true;
    judgeScope();
}

/** Whether the scope's name can be one; says why if not. */
function judgeScope() {
    const field = find("#scope");
    const isFit = field.value === "" || SCOPE.test(field.value);
    set(field, "aria-invalid", isFit ? null : "true");
    write(find("#scope-fault"), isFit ? "" : "A scope is one to four labels of letters, digits, _ and -, joined by dots: acme.u-42");
    return isFit;
}

find("#scope").addEventListener("change", (event) => {
    if (judgeScope()) look({ ...view, scope: event.target.value });
});
find("#filter").addEventListener("input", (event) => look({ ...view, filter: event.target.value }));
find("#state").addEventListener("change", (event) => look({ ...view, state: event.target.value }));
find("#spans").addEventListener("change", (event) => look({ ...view, span: Number(event.target.value) }));
addEventListener("hashchange", () => look(readAddress()));
find("#skip").addEventListener("click", (event) => {
    event.preventDefault();
    const heading = find("#runs-heading");
    (heading.offsetParent ? heading : find("#start")).focus();
});

// MARK: News

let lookedAt = -Infinity;
let looking = null;
let noticing = null;

/** A stream brought something. A screen that changed means that runs did. */
function heard(isState) {
    noticing ??= setTimeout(() => {
        noticing = null;
        connection();
        welcome();
    }, 0);
    if (!isState || looking) return;
    looking = setTimeout(() => {
        looking = null;
        lookedAt = performance.now();
        runs.refresh();
    }, Math.max(50, lookedAt + HASTE - performance.now()));
}

/** The runs were looked at, or changed from here. */
function spread() {
    screens.runs = runs.all;
    if (runDialog.key) runDialog.update(runs.get(runDialog.key));
    connection();
    welcome();
}

/** What to do where nothing is. */
function welcome() {
    show(find("#welcome"), screens.count !== null && runs.count === 0);
    show(find("#runs"), runs.count > 0);
}

const WORDS = {
    connecting: "Connecting…", live: "Live", stale: "No news from the service", lost: "Connection lost, trying again",
};

function connection() {
    let state = screens.connection;
    if (service.isReachable === null || screens.count === null) state = "connecting";
    if (service.isReachable === false) state = "lost";
    set(find("#connection"), "data-state", state);
    write(find("#connection-text"), WORDS[state]);
}

service.addEventListener("reachability", connection);
setInterval(connection, 1_000);

// MARK: Messages

let saying = null;

function said(text) {
    write(find("#problem-text"), "");
    write(find("#done-text"), text);
    runDialog.say(text);
    clearTimeout(saying);
    saying = setTimeout(() => write(find("#done-text"), ""), READING);
}

function failed(text) {
    write(find("#problem-text"), text);
}

find("#problem-close").addEventListener("click", () => failed(""));

// MARK: Starting

function command() {
    const path = Service.path(view.scope, "tasks/chats.sync/runs/1");
    return `curl -X PUT --json '{"title":"Updating…","ttl":30}' ${location.origin}${path}`;
}

function start() {
    startDialog.open(view.scope, [...new Set(runs.all.map((run) => run.task))].slice(0, PAGE_OF_TASKS));
}

/** The most tasks that are suggested. */
const PAGE_OF_TASKS = 200;

find("#start").addEventListener("click", start);
find("#start-first").addEventListener("click", start);
find("#copy").addEventListener("click", async (event) => {
    try {
        await navigator.clipboard.writeText(command());
        said("Copied");
    } catch {
        getSelection().selectAllChildren(find("#command"));
        said("Selected; copy it from there");
    }
    event.target.focus();
});

look(readAddress(), true);
