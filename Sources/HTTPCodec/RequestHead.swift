/// How the body of a request is delimited (RFC 9112, section 6).
public enum BodyFraming: Hashable, Sendable {
    /// No body; also `Content-Length: 0`.
    case none
    /// A body of this many bytes, 1 or more.
    case length(Int)
    /// A body in chunks.
    case chunked
}

/// One accepted request head: a copy of its bytes, and where in them the parts stand.
public struct RequestHead: Sendable {
    /// Where one header field stands in the head's bytes.
    struct Field: Sendable {
        let known: FieldName.Known
        let nameStart: UInt32
        let nameEnd: UInt32
        let valueStart: UInt32
        let valueEnd: UInt32

        init(name: Range<Int>, known: FieldName.Known, value: Range<Int>) {
            self.known = known
            nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
            nameEnd = UInt32(truncatingIfNeeded: name.upperBound)
            valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
            valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
        }

        var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    /// What is to be done.
    public let method: Method
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    public let minorVersion: Int
    /// How the body is delimited.
    public let bodyFraming: BodyFraming
    /// Whether the client wants to send another request on this connection (RFC 9112, section 9.3); never after
    /// CONNECT, since the client may already be sending what it meant for the tunnel.
    public let keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1).
    public let expectsContinue: Bool

    let bytes: [UInt8]
    let fields: [Field]
    let form: RequestTarget

    init(
        method: Method, minorVersion: Int, form: RequestTarget, framing: MessageFraming, bytes: [UInt8],
        fields: [Field]
    ) {
        self.method = method
        self.minorVersion = minorVersion
        self.form = form
        self.bytes = bytes
        self.fields = fields
        bodyFraming = framing.bodyFraming
        keepsAlive = framing.keepsAlive && method != .connect
        expectsContinue = framing.expectsContinue
    }

    /// The path, still percent-encoded. It starts with `/`, or is `*` (OPTIONS only).
    ///
    /// An absolute target without a path means `/`, or `*` with OPTIONS (RFC 9112, section 3.2.4); so does the
    /// target of CONNECT, which has none.
    public var path: ArraySlice<UInt8> {
        guard form.path.isEmpty else { return bytes[form.path] }
        return method == .options && form.query == nil ? [Byte.asterisk] : [Byte.slash]
    }

    /// The query, still percent-encoded, without its `?`; nil if the target has no `?`.
    public var query: ArraySlice<UInt8>? { form.query.map { bytes[$0] } }

    /// Path and query as they were received; of an absolute target the part after the authority.
    public var target: ArraySlice<UInt8> {
        bytes[form.path.lowerBound..<(form.query ?? form.path).upperBound]
    }

    /// Host and port that the request is meant for, well-formed (see ``HostField``): the authority of an absolute
    /// target or of CONNECT, else the value of `Host`; nil if there is neither, which only HTTP/1.0 allows.
    public var authority: ArraySlice<UInt8>? { form.authority.map { bytes[$0] } ?? value(of: .host) }

    /// The value of the first field of this name, without the white space around it; nil if there is none.
    public func value(of name: FieldName) -> ArraySlice<UInt8>? {
        for field in fields where matches(field, name) { return bytes[field.value] }
        return nil
    }

    /// The values of all fields of this name, in the order received.
    public func values(of name: FieldName) -> [ArraySlice<UInt8>] {
        var values: [ArraySlice<UInt8>] = []
        for field in fields where matches(field, name) { values.append(bytes[field.value]) }
        return values
    }

    private func matches(_ field: Field, _ name: FieldName) -> Bool {
        guard field.known == name.known else { return false }
        guard name.known == .none else { return true }
        guard field.name.count == name.text.count else { return false }
        for (offset, byte) in name.text.enumerated()
        where bytes[field.name.lowerBound + offset].lowercased != byte {
            return false
        }
        return true
    }
}
