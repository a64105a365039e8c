import HTTPCodec

extension Method {
    /// True for the methods that change something.
    var isWrite: Bool {
        switch self {
        case .put, .patch, .post, .delete: true
        case .get, .head, .options, .connect, .trace: false
        }
    }
}

extension RequestHead {
    /// The longest wait granted, in seconds.
    private static let longestWait = 55

    /// The seconds that `Prefer: wait` asks for, as far as they are granted; nil without it.
    var wait: Int? { prefer.wait.map { min($0, Self.longestWait) } }

    /// True when the body may be JSON: it says so, says nothing, or says what `curl -d` always says.
    var hasJSONBody: Bool {
        let values = values(of: .contentType)
        guard let value = values.first else { return true }
        guard values.count == 1 else { return false }
        let type = value.prefix { $0 != UInt8(ascii: ";") }.trimmingBlanks
        return Self.bodyTypes.contains { type.equalsIgnoringCase($0) }
    }

    private static let bodyTypes: [StaticString] = [
        "application/json", "application/merge-patch+json", "application/x-www-form-urlencoded",
    ]
}

extension ArraySlice<UInt8> {
    fileprivate var trimmingBlanks: ArraySlice {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return drop(while: isBlank).prefix { !isBlank($0) }
    }

    /// True when the bytes are those of `text`, which is lower case, or its upper case.
    fileprivate func equalsIgnoringCase(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { letters in
            count == letters.count
                && zip(self, letters).allSatisfy {
                    $0 == $1 || ($0 | 0x20 == $1 && (0x41...0x5a).contains($0))
                }
        }
    }
}

extension Response {
    /// A plain text, such as a probe's answer.
    static func text(_ body: [UInt8], type: String = "text/plain; charset=utf-8") -> Response {
        var lines = FieldLines()
        lines.append("Content-Type", type)
        lines.append("Cache-Control", "no-store")
        return Response(status: 200, fields: lines.bytes, body: body)
    }
}
