/// The head of an answer (RFC 9112, sections 4 and 5).
public enum ResponseHead {
    /// How the end of the answer is told (RFC 9112, section 6.3).
    public enum Framing: Hashable, Sendable {
        /// There is none to tell: 204 and 304, or a stream to HTTP/1.0, which ends with the connection.
        case none
        /// `Content-Length`; also in the answer to HEAD.
        case length(Int)
        /// `Transfer-Encoding: chunked`.
        case chunked
    }

    /// What the answer says about the connection (RFC 9112, section 9.3).
    public enum Connection: Hashable, Sendable {
        /// Nothing: HTTP/1.1, and it stays open.
        case unsaid
        /// It stays open, which HTTP/1.0 must be told.
        case keepAlive
        /// It ends after this answer.
        case close
    }

    /// The interim answer to `Expect: 100-continue`.
    public static let `continue` = [UInt8]("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Appends a head to `buffer`: status line, Date, X-Request-Id, `fields`, framing, Connection, empty line.
    ///
    /// Allocates nothing if `buffer` has room. `date` is the value of Date (see ``HTTPDate``), `requestID` that of
    /// X-Request-Id, `fields` complete header lines. The version is always 1.1: it tells what this server can do
    /// (RFC 9110, section 2.5).
    public static func append(
        status: Int, date: HTTPDate, requestID: ArraySlice<UInt8>, fields: [UInt8], framing: Framing,
        connection: Connection, to buffer: inout [UInt8]
    ) {
        requestID.withUnsafeBytes { requestID in
            let capacity = fixedSize + requestID.count + fields.count
            buffer.append(addingCapacity: capacity) { head in
                append(status: status, to: &head)
                head.append("Date: ")
                head.append(date.bytes)
                head.append("\r\nX-Request-Id: ")
                head.append(requestID)
                head.append("\r\n")
                head.append(fields)
                append(framing, to: &head)
                append(connection, to: &head)
                head.append("\r\n")
            }
        }
    }

    /// More than all but the request's id and the fields can take, in bytes.
    private static let fixedSize = 256

    private static func append(status: Int, to head: inout OutputSpan<UInt8>) {
        head.append("HTTP/1.1 ")
        head.append(decimal: status)
        head.append(" ")
        head.append(reasonPhrase(for: status))
        head.append("\r\n")
    }

    private static func append(_ framing: Framing, to head: inout OutputSpan<UInt8>) {
        switch framing {
        case .none: break
        case .length(let length):
            head.append("Content-Length: ")
            head.append(decimal: length)
            head.append("\r\n")
        case .chunked: head.append("Transfer-Encoding: chunked\r\n")
        }
    }

    private static func append(_ connection: Connection, to head: inout OutputSpan<UInt8>) {
        switch connection {
        case .unsaid: break
        case .keepAlive: head.append("Connection: keep-alive\r\n")
        case .close: head.append("Connection: close\r\n")
        }
    }

    /// Appends the whole of `response`, with its body where there is one to send.
    ///
    /// `isHead`: it answers HEAD. `connection` counts unless `response` closes.
    public static func append(
        _ response: Response, isHead: Bool, date: HTTPDate, requestID: ArraySlice<UInt8>,
        connection: Connection, to buffer: inout [UInt8]
    ) {
        let hasBody = allowsBody(response.status)
        append(
            status: response.status, date: date, requestID: requestID, fields: response.fields,
            framing: hasBody ? .length(response.body.count) : .none,
            connection: response.closes ? .close : connection, to: &buffer)
        if hasBody && !isHead { buffer.append(contentsOf: response.body) }
    }

    /// Whether an answer with this status can have a body (RFC 9110, section 6.4.1): not 1xx, 204, 304.
    public static func allowsBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

    /// The reason phrase of a status code (RFC 9110, section 15); empty for one that is not used here.
    public static func reasonPhrase(for status: Int) -> StaticString {
        switch status {
        case 100: "Continue"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
