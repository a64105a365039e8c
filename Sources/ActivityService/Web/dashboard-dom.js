// Small things that every part of the page does with its nodes: change only what differs, so that focus, selection and
// scroll positions stay, and say times in words.

export function find(selector, root = document) {
    return root.querySelector(selector);
}

/** A copy of the first element of a `<template>`. */
export function copyOf(id) {
    return document.getElementById(id).content.cloneNode(true).firstElementChild;
}

export function make(name, className, text) {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
}

/** Sets a text. What comes from the service is foreign: it never becomes markup. */
export function write(node, text) {
    if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute, or removes it for null. */
export function set(node, name, value) {
    if (value === null) {
        if (node.hasAttribute(name)) node.removeAttribute(name);
    } else if (node.getAttribute(name) !== String(value)) {
        node.setAttribute(name, value);
    }
}

export function show(node, isShown) {
    if (node.hidden === isShown) node.hidden = !isShown;
}

/** Makes a button say that it does nothing now. It keeps the focus, as a disabled one would not. */
export function enable(button, isEnabled) {
    set(button, "aria-disabled", isEnabled ? null : "true");
}

export function isEnabled(button) {
    return button.getAttribute("aria-disabled") !== "true";
}

/** Puts `nodes` into `parent` in their order and moves none that is in its place, so that none loses the focus. */
export function arrange(parent, nodes) {
    const wanted = new Set(nodes);
    for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
    let place = parent.firstElementChild;
    for (const node of nodes) {
        if (node === place) place = place.nextElementSibling;
        else parent.insertBefore(node, place);
    }
}

/** `1 run`, `2 runs` */
export function count(number, noun) {
    return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A time in whole seconds and above: `42 s`, `3 min 20 s`, `2 h 5 min`, `4 d 2 h`; with `digits`, seconds below ten have them. */
export function duration(milliseconds, digits = 0) {
    const seconds = Math.max(0, milliseconds) / 1_000;
    if (digits > 0 && seconds < 9.995) return `${seconds.toFixed(digits)} s`;
    if (seconds < 60) return `${Math.floor(seconds)} s`;
    if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
    if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor(seconds / 60 % 60)} min`;
    return `${Math.floor(seconds / 86_400)} d ${Math.floor(seconds / 3_600 % 24)} h`;
}

const clockFormat = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** `05:47:08` here; with `digits`, to the hundredth. */
export function clockTime(instant, digits = 0) {
    const text = clockFormat.format(instant);
    return digits > 0 ? `${text}.${String(Math.floor((instant % 1_000) / 10)).padStart(2, "0")}` : text;
}

/** Milliseconds: how long a resting mouse, and how long a touch, still means that somebody is about to click. */
const RESTING = 5_000;

/** Knows whether somebody is about to click in an area, where nothing may move then. */
export class Aim {
    #area;
    #aimedAt = -Infinity;

    constructor(area) {
        this.#area = area;
        const aim = () => { this.#aimedAt = performance.now(); };
        for (const type of ["pointerover", "pointermove", "pointerdown"]) area.addEventListener(type, aim, { passive: true });
        area.addEventListener("pointerleave", (event) => {
            if (event.pointerType === "mouse") this.#aimedAt = -Infinity;
        });
    }

    get isTaken() {
        return performance.now() - this.#aimedAt < RESTING && this.#area.isConnected;
    }

    release() {
        this.#aimedAt = -Infinity;
    }
}
