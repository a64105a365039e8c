import Synchronization

/// The faces that texts were measured with, by what was asked for. May be shared by threads.
///
/// It grows with what is used of the fonts that are installed, and with nothing else: of each face it keeps the weights
/// for which it answered, of which there are 1 000.
public final class FontCatalog: Sendable {
    private struct Entry {
        let place: FontPlace
        /// Nil for what no browser loads.
        let face: FontFace?
        /// Those that were asked for.
        var weights: Set<UInt16> = []
    }

    private struct Contents {
        /// The faces of each family, in the order of their places.
        var families: [String: [Entry]] = [:]
        var names: [String: FontFace] = [:]

        /// False when the face at `place` is not known.
        mutating func note(_ place: FontPlace, of family: String, for weight: UInt16) -> Bool {
            guard let index = families[family]?.firstIndex(where: { $0.place == place }) else { return false }
            families[family]?[index].weights.insert(weight)
            return true
        }

        mutating func add(_ face: FontFace?, at place: FontPlace, of family: String) {
            var entries = families[family] ?? []
            guard !entries.contains(where: { $0.place == place }) else { return }
            let index = entries.firstIndex { place < $0.place } ?? entries.endIndex
            entries.insert(Entry(place: place, face: face), at: index)
            families[family] = entries
            if let face, names[face.name] == nil { names[face.name] = face }
        }
    }

    private let contents = Mutex(Contents())

    init() {}

    /// The faces that answered for `families` where `weight` was asked for: in the order of the families, within one
    /// by their places.
    ///
    /// - Parameters:
    ///   - families: as ``TextMetrics/families`` has them.
    ///   - weight: that of the ``TitleFont`` with which the text was measured.
    public func faces(families: [String], weight: Int) -> [FontFace] {
        let weight = UInt16(clamping: weight)
        return contents.withLock { contents in
            families.flatMap { family in
                (contents.families[family] ?? []).compactMap { $0.weights.contains(weight) ? $0.face : nil }
            }
        }
    }

    /// The face with that ``FontFace/name``; nil for any other text.
    public func face(named name: String) -> FontFace? { contents.withLock { $0.names[name] } }

    /// The face of `pattern`, known as `family`, has answered where `weight` was asked for.
    func note(_ pattern: FontPattern, of family: String, for weight: Int) {
        guard let place = pattern.place else { return }
        let weight = UInt16(clamping: weight)
        if contents.withLock({ $0.note(place, of: family, for: weight) }) { return }
        // Not under the lock: it reads from the disk.
        let face = FontFace(at: place, family: family, weight: pattern.weight)
        contents.withLock { contents in
            contents.add(face, at: place, of: family)
            _ = contents.note(place, of: family, for: weight)
        }
    }
}
