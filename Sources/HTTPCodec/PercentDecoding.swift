/// Percent-decoding (RFC 3986, section 2.1), once: what comes out is not decoded again.
public enum PercentDecoding {
    /// The bytes that `text` stands for; nil if a `%` is not followed by two hexadecimal digits.
    public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { decode(text, plusIsSpace: false) }

    /// The text that `text` stands for; nil if it is damaged, or not UTF-8.
    public static func decodeText(_ text: ArraySlice<UInt8>) -> String? {
        decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
        guard text.contains(where: { $0 == Byte.percent || $0 == UInt8(ascii: "+") }) else {
            return Array(text)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            if byte == Byte.percent {
                guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? Byte.space : byte)
            }
        }
        return bytes
    }
}
