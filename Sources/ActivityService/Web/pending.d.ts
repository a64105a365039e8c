/** Types of `/pending.js`. Sizes and frames are in points, which are CSS pixels; the origin is the top left corner. */

export interface Rect {
    x: number;
    y: number;
    width: number;
    height: number;
}

export interface Size {
    width: number;
    height: number;
}

/** What an indicator is drawn with, beside its frames. */
export interface Appearance {
    direction: "ltr" | "rtl";
    activityStyle: "gray" | "white" | "medium" | "whiteLarge" | "large";
    /** `#rrggbb` or `#rrggbbaa`. */
    titleColor: string;
    /** In the size in which the title was measured. */
    titleFont: { family: string; size: number; weight: number };
    /** The files that the title was measured with, in the order of a CSS `font-family`; `src` is a path. */
    fonts: { family: string; weight: string; src: string }[];
}

interface ScreenState {
    screen: string;
    /** `""` is the root scope. */
    scope: string;
    /** The view as it was asked for, such as `chats:390x44`. */
    view: string;
    isPending: boolean;
    title: string;
    /** In thousandths; null while some run does not tell. */
    fractionCompleted: number | null;
    /** For screen readers: the title while pending, else `""`. */
    announcement: string;
    runCount: number;
    /** RFC 3339; null while nothing is pending. */
    pendingSince: string | null;
    appearance: Appearance;
    /** Equal for equal states. */
    version: string;
}

export interface NavigationBarState extends ScreenState {
    kind: "navigationBar";
    layout: {
        bounds: Rect;
        activityIndicator: Rect | null;
        titleLabel: Rect | null;
        isTruncated: boolean;
        preferredSize: Size;
        /** With `barWidth` only. */
        frameInBar?: Rect;
        fonts: string[];
    };
}

export interface SearchBarState extends ScreenState {
    kind: "searchBar";
    isLoading: boolean;
    layout: {
        bounds: Rect;
        field: Rect;
        leftView: (Rect & { content: "icon" | "activityIndicator"; icon: string }) | null;
        activityIndicator: Rect | null;
        textField: Rect | null;
    };
}

export type State = NavigationBarState | SearchBarState;

/**
 * `connecting` before the first state, then `live`; `stale` when the service has been silent for twice the time within
 * which something must come, 36 seconds by default.
 */
export type Connection = "connecting" | "live" | "stale";

export interface SubscribeOptions {
    /** Where the service is; by default where the module was loaded from. */
    base?: string;
    /** By default `""`, the root scope. */
    scope?: string;
    /** The size of the view, 0…10 000; both or none. By default that of the screen's configuration. */
    width?: number;
    height?: number;
    /** Pixels per point, 0.25…10, to whose grid the frames are aligned. */
    scale?: number;
    direction?: "ltr" | "rtl";
    /** Multiplies the font's size, 0.25…4. */
    fontScale?: number;
    /** The bar in which a title view stands, and what its buttons take at each end, 0…10 000. */
    barWidth?: number;
    leadingInset?: number;
    trailingInset?: number;
}

export interface Subscription {
    /** The newest state; null before the first. */
    readonly state: State | null;
    readonly connection: Connection;
    /** Ends it; the callback is not called again. */
    close(): void;
    /** States come while a connection happens to be open for them: until another subscription has its first. */
    retire(): void;
}

/**
 * Watches a screen. `onState` is called with each new state and whenever the connection changes, never before this
 * returns.
 *
 * @throws TypeError for a name that breaks the service's rules, RangeError for a number out of range.
 */
export function subscribe(
    screen: string,
    options: SubscribeOptions | null | undefined,
    onState: (state: State | null, connection: Connection) => void,
): Subscription;

interface PendingElementEventMap extends HTMLElementEventMap {
    /** `isPending` has changed. */
    pending: CustomEvent<State>;
    /** A new state was drawn. */
    change: CustomEvent<State>;
    connection: CustomEvent<Connection>;
}

declare class PendingElement extends HTMLElement {
    readonly state: State | null;
    readonly connection: Connection;
    addEventListener<K extends keyof PendingElementEventMap>(
        type: K, listener: (this: this, event: PendingElementEventMap[K]) => unknown,
        options?: boolean | AddEventListenerOptions,
    ): void;
    addEventListener(
        type: string, listener: EventListenerOrEventListenerObject,
        options?: boolean | AddEventListenerOptions,
    ): void;
}

/** `<pending-navigation-bar>` */
export class PendingNavigationBar extends PendingElement {}

/** `<pending-search-bar>` */
export class PendingSearchBar extends PendingElement {}

declare global {
    interface HTMLElementTagNameMap {
        "pending-navigation-bar": PendingNavigationBar;
        "pending-search-bar": PendingSearchBar;
    }
}
