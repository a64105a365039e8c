import ActivityCore
import CJansson

/// One value of a parsed body, where it stands, and the list that its faults go to.
///
/// Valid only while the ``JSONDocument`` is. Each reading method returns nil after adding a fault.
struct Member {
    private let node: UnsafeMutablePointer<json_t>
    private let place: JSONPlace
    private let faults: FaultList

    fileprivate init(_ node: UnsafeMutablePointer<json_t>, at place: JSONPlace, faults: FaultList) {
        self.node = node
        self.place = place
        self.faults = faults
    }

    fileprivate var isNull: Bool { node.pointee.type == JSON_NULL }

    /// Adds a fault of this value.
    func refuse(_ detail: @autoclosure () -> String) { faults.add(at: place.pointer, detail()) }

    private func refused<Value>(_ detail: @autoclosure () -> String) -> Value? {
        refuse(detail())
        return nil
    }

    /// Whether it is the literal `true`; no fault else.
    var isTrue: Bool { node.pointee.type == JSON_TRUE }

    /// True or false.
    func boolean() -> Bool? {
        switch node.pointee.type {
        case JSON_TRUE: true
        case JSON_FALSE: false
        default: refused("must be true or false")
        }
    }

    /// A number within `range`; −0 becomes 0.
    func number(in range: ClosedRange<Double>) -> Double? {
        guard node.pointee.type == JSON_REAL, range.contains(json_real_value(node)) else {
            return refused(
                "must be a number from \(shortest(range.lowerBound)) to \(shortest(range.upperBound))")
        }
        return json_real_value(node) + 0
    }

    /// A whole number within `range`, which lies within ±(2^53 − 1); `3.0` is one.
    func integer<Integer: FixedWidthInteger>(in range: ClosedRange<Integer>) -> Integer? {
        let value = json_real_value(node)
        guard node.pointee.type == JSON_REAL, let whole = Integer(exactly: value), range.contains(whole)
        else {
            return refused("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    /// A text that keeps to ``TextRule``, at most `limit` Unicode scalars.
    func text(upTo limit: Int) -> String? { text(in: 0...limit) }

    /// A text that keeps to ``TextRule``, whose number of Unicode scalars is in `lengths`.
    func text(in lengths: ClosedRange<Int>) -> String? {
        guard let bytes = stringBytes else { return refused("must be a string") }
        if let fault = TextRule.fault(in: bytes, lengths: lengths) { return refused(fault) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A string that `parse` knows; `rule` says which those are.
    func string<Value>(_ rule: @autoclosure () -> String, _ parse: (String) -> Value?) -> Value? {
        guard let bytes = stringBytes, let value = parse(String(decoding: bytes, as: UTF8.self)) else {
            return refused("must be \(rule())")
        }
        return value
    }

    /// One of a closed set of words.
    func word<Value: RawRepresentable & CaseIterable>(of type: Value.Type) -> Value?
    where Value.RawValue == String {
        string("one of " + Value.allCases.map(\.rawValue).joined(separator: ", "), Value.init(rawValue:))
    }

    /// Reads the members of an object, and refuses those that `read` did not ask for.
    ///
    /// - Parameter explain: why a member of this name is refused, if there is more to say than that it is unknown.
    func object<Value>(
        _ read: (inout Members) -> Value, refusing explain: (String) -> String? = { _ in nil }
    ) -> Value? {
        guard node.pointee.type == JSON_OBJECT else { return refused("must be an object") }
        var members = Members(of: node, at: place.pointer, faults: faults)
        let value = read(&members)
        members.refuseOthers(explain)
        return value
    }

    /// Reads each member of an object whose names are data.
    func eachMember(_ read: (String, Member) -> Void) {
        guard node.pointee.type == JSON_OBJECT else { return refuse("must be an object") }
        let pointer = place.pointer
        for (name, value) in JSONMembers(of: node) {
            read(name, Member(value, at: .given(name, in: pointer), faults: faults))
        }
    }

    /// Reads each element of an array of at most `limit` elements.
    func elements<Value>(upTo limit: Int, _ read: (Member) -> Value?) -> [Value]? {
        guard node.pointee.type == JSON_ARRAY else { return refused("must be an array") }
        let count = json_array_size(node)
        guard count <= limit else { return refused("must have at most \(limit) elements, but has \(count)") }
        let pointer = place.pointer
        return (0..<count).compactMap { index in
            json_array_get(node, index).flatMap {
                read(Member($0, at: .element(index, in: pointer), faults: faults))
            }
        }
    }

    private var stringBytes: UnsafeBufferPointer<UInt8>? {
        guard node.pointee.type == JSON_STRING, let start = json_string_value(node) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: json_string_length(node))
        return bytes.assumingMemoryBound(to: UInt8.self)
    }
}

/// The members of an object that is being read.
struct Members {
    private let object: UnsafeMutablePointer<json_t>
    private let pointer: String
    private let faults: FaultList
    private var known: [StaticString] = []
    private var found = 0

    fileprivate init(of object: UnsafeMutablePointer<json_t>, at pointer: String, faults: FaultList) {
        self.object = object
        self.pointer = pointer
        self.faults = faults
        known.reserveCapacity(16)
    }

    /// The member `name`; nil when it is absent or null.
    subscript(_ name: StaticString) -> Member? {
        mutating get { nullable(name).flatMap { $0.isNull ? nil : $0 } }
    }

    /// The member `name`, whose absence is a fault; nil then.
    mutating func required(_ name: StaticString) -> Member? {
        guard let member = self[name] else {
            faults.add(at: JSONPlace.known(name, in: pointer).pointer, "is required")
            return nil
        }
        return member
    }

    /// The member `name` of a merge patch (RFC 7396). What `read` refuses counts as absent.
    mutating func patch<Value>(_ name: StaticString, _ read: (Member) -> Value?) -> Patch<Value> {
        guard let member = nullable(name) else { return .absent }
        guard !member.isNull else { return .null }
        return read(member).map(Patch.value) ?? .absent
    }

    /// The member `name`, which may be null; nil only when it is absent.
    mutating func nullable(_ name: StaticString) -> Member? {
        known.append(name)
        let bytes = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        guard let node = json_object_getn(object, bytes, name.utf8CodeUnitCount) else { return nil }
        found += 1
        return Member(node, at: .known(name, in: pointer), faults: faults)
    }

    fileprivate func refuseOthers(_ explain: (String) -> String?) {
        guard found < json_object_size(object) else { return }
        let known = Set(known.map { Array($0.description.utf8) })
        // By bytes: `String ==` takes canonically equivalent names for one, jansson does not.
        for (name, _) in JSONMembers(of: object) where !known.contains(Array(name.utf8)) {
            faults.add(
                at: JSONPlace.given(name, in: pointer).pointer,
                explain(name) ?? "is not a member that is known here")
        }
    }
}

/// The members of an object in the order of the text.
private struct JSONMembers: Sequence, IteratorProtocol {
    private let object: UnsafeMutablePointer<json_t>
    private var position: UnsafeMutableRawPointer?

    init(of object: UnsafeMutablePointer<json_t>) {
        self.object = object
        position = json_object_iter(object)
    }

    mutating func next() -> (String, UnsafeMutablePointer<json_t>)? {
        guard let current = position, let name = json_object_iter_key(current),
            let value = json_object_iter_value(current)
        else { return nil }
        position = json_object_iter_next(object, current)
        let bytes = UnsafeRawBufferPointer(start: name, count: json_object_iter_key_len(current))
        return (String(decoding: bytes, as: UTF8.self), value)
    }
}

/// Reads the body of a request, an empty one as `{}`; see ``readDocument(_:_:)``.
func readBody<Value>(_ body: [UInt8], _ read: (Member) -> Value?) throws(BodyError) -> Value {
    try readDocument(body.isEmpty ? Array("{}".utf8) : body, read)
}

/// Parses `text` and reads its value. Throws all faults that `read` found.
///
/// `read` may return nil only after it has added a fault.
func readDocument<Value>(_ text: [UInt8], _ read: (Member) -> Value?) throws(BodyError) -> Value {
    let document = try JSONDocument(text)
    let faults = FaultList()
    let value = withExtendedLifetime(document) {
        read(Member(document.root, at: .root, faults: faults))
    }
    guard let value, faults.faults.isEmpty else { throw .invalidMembers(faults.faults) }
    return value
}

private func shortest(_ bound: Double) -> String {
    Int64(exactly: bound).map(String.init) ?? bound.description
}
