// The elements that pages use. They measure themselves, and draw what the service says for that size.

/** Milliseconds: how long a size must have been the same before it is asked for. */
const SETTLING = 120;

/** Those whose scale is that of the screen. One query serves them all. */
const scaled = new Set();

function watchPixelRatio() {
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", () => {
        watchPixelRatio();
        for (const element of scaled) element.renew();
    }, { once: true });
}

watchPixelRatio();

const sizes = new ResizeObserver((entries) => {
    for (const entry of entries) entry.target.measured(entry.contentRect);
});

/** What an attribute says, if it is a number. */
function number(element, name) {
    const text = element.getAttribute(name);
    return text === null || text.trim() === "" ? undefined : Number(text);
}

/** An indicator that draws itself. */
class PendingElement extends HTMLElement {
    static observedAttributes = [
        "screen", "scope", "base", "scale", "direction", "font-scale", "bar-width", "leading-inset", "trailing-inset",
    ];
    #drawing = null;
    #size = null;
    #subscription = null;
    /** What the newest subscription replaces as soon as it has a state. */
    #previous = null;
    #state = null;
    #connection = "connecting";
    #timer = null;
    #renewedAt = -Infinity;

    /** The state that is drawn, as the service sends it; null before the first. */
    get state() {
        return this.#state;
    }

    /** `connecting`, `live` or `stale`. */
    get connection() {
        return this.#connection;
    }

    connectedCallback() {
        if (!this.#drawing) {
            this.#drawing = new Drawing(this.attachShadow({ mode: "open" }));
            // A copy of another element has its attributes, too.
            set(this, { pending: null, connection: null });
        }
        scaled.add(this);
        sizes.observe(this);
    }

    disconnectedCallback() {
        scaled.delete(this);
        sizes.unobserve(this);
        clearTimeout(this.#timer);
        this.#close();
        this.#size = null;
    }

    adoptedCallback() {
        this.#drawing?.moved();
    }

    attributeChangedCallback(name, old, value) {
        if (old !== value) this.renew();
    }

    /** The element has a size: at first at once, then when it stays. */
    measured({ width, height }) {
        if (this.#size?.width === width && this.#size?.height === height) return;
        // What is not displayed goes on as it is: it may be displayed again in its old size.
        if (this.#size && width === 0 && height === 0 && this.getClientRects().length === 0) return;
        const isFirst = !this.#subscription || (this.#size.width === 0 && this.#size.height === 0);
        this.#size = { width, height };
        clearTimeout(this.#timer);
        if (isFirst) this.#subscribe();
        else this.#timer = setTimeout(() => this.#subscribe(), SETTLING);
    }

    /** Asks anew, after an attribute or the screen's resolution has changed: at once, or if it goes on, at its end. */
    renew() {
        if (!this.#size) return;
        clearTimeout(this.#timer);
        const now = performance.now();
        this.#timer = setTimeout(() => this.#subscribe(), now - this.#renewedAt < SETTLING ? SETTLING : 0);
        this.#renewedAt = now;
    }

    #subscribe() {
        const screen = this.getAttribute("screen");
        if (!screen) return this.#forget();
        const inset = [number(this, "leading-inset"), number(this, "trailing-inset")];
        const isInset = inset.some((one) => one !== undefined);
        const options = {
            scope: this.getAttribute("scope") ?? "",
            width: Math.min(this.#size.width, 10_000),
            height: Math.min(this.#size.height, 10_000),
            scale: number(this, "scale") ?? Math.min(10, Math.max(0.25, devicePixelRatio)),
            direction: this.getAttribute("direction") ?? undefined,
            fontScale: number(this, "font-scale"),
            barWidth: number(this, "bar-width") ?? (isInset ? this.#size.width : undefined),
            leadingInset: inset[0],
            trailingInset: inset[1],
        };
        let subscription = null;
        try {
            const base = new URL(this.getAttribute("base") ?? HOME, document.baseURI).href;
            subscription = subscribe(screen, { base, ...options }, (state, connection) => {
                this.#show(subscription, state, connection, base);
            });
        } catch (error) {
            this.#forget();
            return reportError(error);
        }
        // What was drawn before the element left the page may be long over.
        if (!this.#subscription && !subscription.state) this.#forget();
        // Of several that were not answered yet only the last counts; what was answered is shown until then.
        if (this.#subscription?.state) {
            this.#previous?.close();
            this.#previous = this.#subscription;
            this.#previous.retire();
        } else {
            this.#subscription?.close();
        }
        this.#subscription = subscription;
    }

    #show(subscription, state, connection, base) {
        if (subscription === this.#subscription && state) {
            this.#previous?.close();
            this.#previous = null;
        }
        const isNew = state !== null && state.version !== this.#state?.version;
        const before = this.#state;
        if (state && (isNew || state !== before)) {
            this.#state = state;
            this.#drawing.draw(state, base.endsWith("/") ? base : `${base}/`);
            set(this, { pending: state.isPending ? "" : null });
        }
        if (connection !== this.#connection || !this.hasAttribute("connection")) {
            this.#connection = connection;
            set(this, { connection });
            this.dispatchEvent(new CustomEvent("connection", { detail: connection }));
        }
        if (isNew && state.isPending !== (before?.isPending ?? false)) {
            this.dispatchEvent(new CustomEvent("pending", { detail: state }));
        }
        if (isNew) this.dispatchEvent(new CustomEvent("change", { detail: state }));
    }

    #close() {
        this.#previous?.close();
        this.#subscription?.close();
        this.#previous = this.#subscription = null;
    }

    /** There is nothing to show. */
    #forget() {
        this.#close();
        if (this.#state) {
            this.#state = null;
            this.shadowRoot.replaceChildren();
            this.#drawing = new Drawing(this.shadowRoot);
        }
        set(this, { pending: null, connection: null });
        if (this.#connection === "connecting") return;
        this.#connection = "connecting";
        this.dispatchEvent(new CustomEvent("connection", { detail: "connecting" }));
    }
}

/** `<pending-navigation-bar screen="chats">`: a title, with a spinner beside it while something is pending. */
export class PendingNavigationBar extends PendingElement {}

/** `<pending-search-bar screen="search">`: a search field whose icon gives way to a spinner. */
export class PendingSearchBar extends PendingElement {}

// Two copies of this module in one page share the elements of the first.
for (const [name, element] of [
    ["pending-navigation-bar", PendingNavigationBar], ["pending-search-bar", PendingSearchBar],
]) {
    if (!customElements.get(name)) customElements.define(name, element);
}
