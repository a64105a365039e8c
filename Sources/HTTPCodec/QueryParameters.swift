/// The parameters of a query, in the order received: pairs joined by `&`, each `name=value`
/// ([URL standard, section 5.1](https://url.spec.whatwg.org/#urlencoded-parsing)). Empty pairs are left out.
public struct QueryParameters: Sequence, IteratorProtocol, Sendable {
    /// One pair, not decoded.
    public struct Parameter: Hashable, Sendable {
        /// What stands before the first `=`.
        public let rawName: ArraySlice<UInt8>
        /// What stands after the first `=`; empty if there is none.
        public let rawValue: ArraySlice<UInt8>

        /// The decoded name; nil if it is damaged or not UTF-8.
        public var name: String? { QueryParameters.decode(rawName) }
        /// The decoded value; nil if it is damaged or not UTF-8.
        public var value: String? { QueryParameters.decode(rawValue) }
    }

    private var rest: ArraySlice<UInt8>

    /// The parameters of `query`, which comes without its `?`; none of nil.
    public init(_ query: ArraySlice<UInt8>?) { rest = query ?? [] }

    /// The next pair; nil at the end.
    public mutating func next() -> Parameter? {
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest[pair.endIndex...].dropFirst()
            guard !pair.isEmpty else { continue }
            let name = pair.prefix { $0 != Byte.equals }
            return Parameter(rawName: name, rawValue: pair[name.endIndex...].dropFirst())
        }
        return nil
    }

    /// `+` is a space here.
    private static func decode(_ text: ArraySlice<UInt8>) -> String? {
        PercentDecoding.decode(text, plusIsSpace: true).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

extension RequestHead {
    /// The parameters of this request's query.
    public var parameters: QueryParameters { QueryParameters(query) }
}
