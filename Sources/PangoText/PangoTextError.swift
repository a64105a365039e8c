/// Why text cannot be measured.
public enum PangoTextError: Error, Hashable, Sendable {
    /// Fontconfig finds no font at all: none is installed, or its configuration leads nowhere.
    case noFont
}
