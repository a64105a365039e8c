// How an indicator is drawn: nodes that are made once, placed by the frames of the service, and changed only where
// they differ.

const SVG = "http://www.w3.org/2000/svg";

const STYLE = `
:host { display: block; position: relative; height: 44px; }
:host(pending-search-bar) { height: 56px; }
:host([hidden]) { display: none; }
.bar { position: relative; width: 100%; height: 100%; writing-mode: horizontal-tb; }
.bar > *, .view > * { position: absolute; box-sizing: border-box; }
.bar [hidden], slot:not(.filled), .filled + .placeholder { display: none; }
.spinner {
    color: var(--pending-spinner-color, #8e8e93); animation: turn var(--pending-turn, 1s) steps(12) infinite;
}
.white.spinner { color: var(--pending-spinner-color, #ffffff); }
.spinner svg, .icon svg { display: block; width: 100%; height: 100%; overflow: visible; }
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .spinner { animation-duration: var(--pending-slow-turn, 8s); } }
.title {
    --on-dark: oklch(from var(--configured) max(l, min(1, 1.18 - l)) c h);
    color: var(--pending-title-color, light-dark(var(--configured), var(--on-dark)));
}
.text { color: var(--pending-text-color, light-dark(rgb(60 60 67 / 0.6), rgb(235 235 245 / 0.6))); }
.title, .text {
    margin: 0; white-space: pre; letter-spacing: normal; word-spacing: normal; text-transform: none; text-indent: 0;
    text-shadow: none; font-synthesis: none; text-rendering: geometricPrecision; -webkit-text-size-adjust: none;
    text-size-adjust: none;
}
.cut { overflow: hidden; text-overflow: ellipsis; }
.field {
    border-radius: var(--pending-field-radius, 10px);
    background: var(--pending-field-color, light-dark(rgb(118 118 128 / 0.12), rgb(118 118 128 / 0.24)));
}
slot { white-space: normal; }
.icon { color: var(--pending-text-color, light-dark(rgb(60 60 67 / 0.6), rgb(235 235 245 / 0.6))); }
::slotted(*) {
    display: block; box-sizing: border-box; width: 100%; height: 100%; margin: 0; padding: 0; border: 0; outline: 0;
    background: none; color: inherit; font: inherit; text-align: inherit; appearance: none;
}
::slotted(:focus-visible) { outline: 2px solid; outline-offset: 2px; border-radius: 2px; }
:host([connection="stale"]) .bar { opacity: var(--pending-stale-opacity, 0.5); }
:host([connection="stale"]) .spinner { animation-play-state: paused; }
.status { position: absolute; top: 0; left: 0; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (forced-colors: active) {
    .spinner, .icon, .title, .text { color: CanvasText; }
    .field { outline: 1px solid; }
}
`;

const sheets = new WeakMap();

/** The style of all indicators in a document, parsed once; allowed by a policy that allows no inline style. */
function styleSheet(page) {
    if (!sheets.has(page)) {
        const sheet = new page.defaultView.CSSStyleSheet();
        sheet.replaceSync(STYLE);
        sheets.set(page, sheet);
    }
    return sheets.get(page);
}

function make(name, part, attributes = {}) {
    const node = document.createElement(name);
    node.className = part;
    node.setAttribute("part", part);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
}

function picture(viewBox, shapes) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", viewBox);
    svg.setAttribute("aria-hidden", "true");
    for (const [name, attributes] of shapes) {
        const shape = svg.appendChild(document.createElementNS(SVG, name));
        for (const [key, value] of Object.entries({ fill: "none", stroke: "currentColor", ...attributes })) {
            shape.setAttribute(key, value);
        }
    }
    return svg;
}

/** Twelve spokes in a square of one unit; the brightest leads clockwise. */
function spokes() {
    return picture("-0.5 -0.5 1 1", Array.from({ length: 12 }, (_, index) => ["path", {
        d: "M0 -0.45V-0.25", "stroke-width": 0.085, "stroke-linecap": "round", transform: `rotate(${30 * index})`,
        opacity: Math.max(0.25, 1 - ((12 - index) % 12) * 0.085),
    }]));
}

/** A lens with a handle in a square of one unit. */
function magnifier() {
    const edge = 0.42 + 0.36 * 0.74;
    return picture("0 0 1 1", [
        ["circle", { cx: 0.42, cy: 0.42, r: 0.36, "stroke-width": 0.1 }],
        ["path", { d: `M${edge} ${edge}L0.93 0.93`, "stroke-width": 0.12, "stroke-linecap": "round" }],
    ]);
}

/** Sets what differs, so that an unchanged state changes nothing in the page. */
function set(node, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        const text = value === null ? null : String(value);
        if (node.getAttribute(name) === text) continue;
        if (text === null) node.removeAttribute(name);
        else node.setAttribute(name, text);
    }
}

/** What was set last: what a browser makes of a value need not read like it. */
const styles = new WeakMap();

function style(node, properties) {
    const known = styles.get(node) ?? {};
    styles.set(node, { ...known, ...properties });
    for (const [name, value] of Object.entries(properties)) {
        if (known[name] !== value) node.style.setProperty(name, value);
    }
}

function write(node, text) {
    if (node.textContent !== text) node.textContent = text;
}

/** Puts a node where a frame says; without a frame it is not shown. */
function place(node, frame) {
    set(node, { hidden: frame ? null : "" });
    if (!frame) return;
    style(node, {
        left: `${frame.x}px`, top: `${frame.y}px`, width: `${frame.width}px`, height: `${frame.height}px`,
    });
}

/** The URLs of the font files that a document was given. */
const fontFiles = new WeakMap();

/** A family's name in the page, which may have another font of that name for its own text. */
function ownName(family, base) {
    return `${family} of ${base}`;
}

/** Lets the page draw with the very files that the text was measured with. */
function useFonts(page, fonts, base) {
    const files = fontFiles.get(page) ?? new Set();
    fontFiles.set(page, files);
    for (const { family, weight, src } of fonts) {
        const url = new URL(src.replace(/^\//, ""), base).href;
        if (!files.has(url)) loadFont(page, ownName(family, base), url, weight, 5_000);
        files.add(url);
    }
}

/** A browser asks for a file when something is drawn with it, and only once: if that fails, again after `pause` ms. */
function loadFont(page, family, url, weight, pause) {
    // The window of a frame may have been closed meanwhile.
    if (!page.defaultView) return;
    const descriptors = { weight, display: "block" };
    const face = new page.defaultView.FontFace(family, `url(${JSON.stringify(url)})`, descriptors);
    page.fonts.add(face);
    face.loaded.catch(() => {
        page.fonts.delete(face);
        setTimeout(() => loadFont(page, family, url, weight, Math.min(2 * pause, 300_000)), pause);
    });
}

/** The nodes of one indicator, in the shadow tree of its element. */
class Drawing {
    #bar = make("div", "bar", { role: "group" });
    #view = make("div", "view");
    #spinner = make("div", "spinner", { role: "progressbar" });
    #title = make("div", "title", { dir: "auto", lang: "" });
    #field = make("div", "field");
    #icon = make("div", "icon");
    #text = make("div", "text");
    /** The text of a search field, unless the page puts an input there. */
    #placeholder = make("span", "placeholder", { dir: "auto", lang: "" });
    // Beside the bar, not in it: what is busy is not read out.
    #status = make("div", "status", { role: "status" });
    // Not in the slot: there, blanks between the tags of the page would take its place.
    #slot = document.createElement("slot");
    #root;
    #state = null;
    #base = null;

    constructor(root) {
        this.#root = root;
        this.moved();
        this.#spinner.append(spokes());
        this.#icon.append(magnifier());
        this.#text.append(this.#slot, this.#placeholder);
        this.#slot.addEventListener("slotchange", () => {
            if (this.#state?.kind === "searchBar") this.#drawText(this.#state);
        });
        this.#view.append(this.#field, this.#title, this.#text, this.#icon, this.#spinner);
        for (const node of this.#view.children) set(node, { hidden: "" });
        this.#bar.append(this.#view);
        root.append(this.#bar, this.#status);
    }

    /** It stands in another document, where style and fonts are to be given again. */
    moved() {
        const page = this.#root.ownerDocument;
        this.#root.adoptedStyleSheets = page.defaultView ? [styleSheet(page)] : [];
        if (this.#state) useFonts(page, this.#state.appearance.fonts, this.#base);
    }

    /** Draws a state of the service, with fonts from `base`. */
    draw(state, base) {
        const { layout, appearance } = state;
        this.#state = state;
        this.#base = base;
        useFonts(this.#root.ownerDocument, appearance.fonts, base);
        set(this.#bar, { "aria-busy": state.isPending });
        place(this.#view, layout.frameInBar ?? layout.bounds);
        const isSearch = state.kind === "searchBar";
        place(this.#field, isSearch ? layout.field : null);
        place(this.#icon, isSearch && layout.leftView?.content === "icon" ? layout.leftView : null);
        place(this.#text, isSearch ? layout.textField : null);
        place(this.#title, isSearch ? null : layout.titleLabel);
        this.#drawSpinner(state);
        if (isSearch) this.#drawText(state);
        else if (layout.titleLabel) this.#drawTitle(state);
        write(this.#status, state.announcement);
    }

    #drawSpinner({ layout, appearance, title, screen, fractionCompleted: fraction }) {
        place(this.#spinner, layout.activityIndicator);
        this.#spinner.classList.toggle("white", appearance.activityStyle.startsWith("white"));
        const isKnown = fraction !== null;
        set(this.#spinner, {
            "aria-label": title || screen,
            "aria-valuemin": isKnown ? 0 : null,
            "aria-valuemax": isKnown ? 100 : null,
            "aria-valuenow": isKnown ? Math.floor(fraction * 100) : null,
        });
    }

    #drawTitle(state) {
        const { layout, appearance, title } = state;
        style(this.#title, {
            "--configured": appearance.titleColor,
            "font": font(state, layout.titleLabel.height, this.#base),
            "text-align": appearance.direction === "rtl" ? "right" : "left",
        });
        this.#title.classList.toggle("cut", layout.isTruncated);
        write(this.#title, title);
    }

    #drawText(state) {
        const { layout, appearance, title } = state;
        if (!layout.textField) return;
        style(this.#text, {
            "font": font(state, layout.textField.height, this.#base),
            "text-align": appearance.direction === "rtl" ? "right" : "left",
        });
        set(this.#text, { dir: appearance.direction });
        const inputs = this.#slot.assignedElements();
        this.#slot.classList.toggle("filled", inputs.length > 0);
        this.#text.classList.toggle("cut", inputs.length === 0);
        write(this.#placeholder, title);
        for (const input of inputs) {
            if (input.localName === "input" && input.placeholder !== title) input.placeholder = title;
        }
    }
}

/** The `font` of a text whose line is `height` points high: the families that it was measured with, and no others. */
function font({ layout, appearance: { titleFont, fonts } }, height, base) {
    const families = new Set(layout.fonts ?? fonts.map((one) => one.family));
    // Of an empty text nothing is drawn, but an input may be there.
    if (families.size === 0) families.add(titleFont.family);
    // The served files first; where they cannot be had, what the page or its reader has under these names.
    const names = [...families].map((family) => ownName(family, base)).concat([...families]);
    const list = names.map((family) => JSON.stringify(family)).join(", ");
    return `${titleFont.weight} ${titleFont.size}px / ${height}px ${list}`;
}
