/// Where path, query and authority stand in a request target (RFC 9112, section 3.2).
///
/// Ranges are offsets in the bytes of the head.
struct RequestTarget: Sendable {
    /// Empty if an absolute target has no path, and for CONNECT.
    var path: Range<Int>
    /// Without the `?`.
    var query: Range<Int>?
    /// Of an absolute target or of CONNECT; well-formed.
    var authority: Range<Int>?

    /// Takes the target at `range` apart, whose bytes are known to be 0x21…0x7e without `#`.
    init(_ head: UnsafeRawBufferPointer, _ range: Range<Int>, method: Method) throws(FramingError) {
        switch head[range.lowerBound] {
        case Byte.slash where method != .connect:
            self.init(head, pathAndQuery: range)
        case Byte.asterisk where method == .options && range.count == 1:
            self.init(path: range)
        default:
            if method == .connect {
                try self.init(head, tunnelTo: range)
            } else {
                try self.init(head, absolute: range)
            }
        }
    }

    private init(path: Range<Int>, query: Range<Int>? = nil, authority: Range<Int>? = nil) {
        self.path = path
        self.query = query
        self.authority = authority
    }

    private init(_ head: UnsafeRawBufferPointer, pathAndQuery range: Range<Int>) {
        var mark = range.lowerBound
        while mark < range.upperBound, head[mark] != UInt8(ascii: "?") { mark += 1 }
        path = range.lowerBound..<mark
        query = mark < range.upperBound ? mark + 1..<range.upperBound : nil
    }

    /// The authority form of CONNECT (section 3.2.3): host and port, both required.
    private init(_ head: UnsafeRawBufferPointer, tunnelTo range: Range<Int>) throws(FramingError) {
        guard let host = HostParts(head.part(range)), host.port != nil else {
            throw .badRequest("The target of CONNECT must be a host and a port.")
        }
        self.init(path: range.upperBound..<range.upperBound, authority: range)
    }

    /// The absolute form (section 3.2.2). Only `http`: a request for an `https` resource must be rejected unless
    /// it came over a secured connection (RFC 9110, section 7.4).
    private init(_ head: UnsafeRawBufferPointer, absolute range: Range<Int>) throws(FramingError) {
        let start = range.lowerBound + 7
        guard range.count > 7, head.part(range.lowerBound..<start).equalsIgnoringCase("http://") else {
            throw .badRequest("The request target must be a path or an http URI.")
        }
        var end = start
        while end < range.upperBound, head[end] != Byte.slash, head[end] != UInt8(ascii: "?") { end += 1 }
        guard HostParts(head.part(start..<end)) != nil else {
            throw .badRequest("The authority of the request target is malformed.")
        }
        self.init(head, pathAndQuery: end..<range.upperBound)
        authority = start..<end
    }
}
