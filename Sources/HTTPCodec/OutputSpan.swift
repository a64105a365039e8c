/// What answers and events are written with: one allocation, or none, for many small pieces.
extension OutputSpan<UInt8> {
    /// Adds the UTF-8 of `text`. Precondition, here and below: there is room.
    @inline(__always) mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always) mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    @inline(__always) mutating func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= freeCapacity, "The capacity was reckoned too small.")
        withUnsafeMutableBufferPointer { buffer, count in
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                .copyMemory(from: bytes)
            count += bytes.count
        }
    }

    /// Adds `number` in decimal digits. Precondition: not negative.
    mutating func append(decimal number: Int) {
        precondition(number >= 0, "Sizes and codes are not negative.")
        var unit = 1
        while number / unit >= 10 { unit *= 10 }
        while unit > 0 {
            append(Byte.zero + UInt8(truncatingIfNeeded: number / unit % 10))
            unit /= 10
        }
    }

    /// Adds `number` in hexadecimal digits. Precondition: not negative.
    mutating func append(hexadecimal number: Int) {
        precondition(number >= 0, "Sizes and codes are not negative.")
        var shift = max(0, (Int.bitWidth - number.leadingZeroBitCount - 1) & ~3)
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: number >> shift & 0xF)
            append(digit < 10 ? Byte.zero + digit : UInt8(ascii: "a") + digit - 10)
            shift -= 4
        }
    }
}
