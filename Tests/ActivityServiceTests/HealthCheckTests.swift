import EventHTTP
import Glibc
import Synchronization
import Testing

@testable import ActivityService

@Suite struct HealthCheckTests {
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 299",
    ])
    func passesOnSuccess(_ answer: String) throws {
        let server = try CannedServer([answer])
        #expect(try #require(HealthCheck("http://127.0.0.1:\(server.port)")).isPassed())
        #expect(
            server.request
                == "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n\r\n")
    }

    @Test(arguments: [
        "HTTP/1.1 503 Service Unavailable\r\n\r\n", "HTTP/1.1 301 Moved\r\n\r\n", "HTTP/1.1 101 x\r\n\r\n",
        "HTTP/1.1 2",
        "HTTP/2.0 200 OK\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "",
    ])
    func failsOnAnythingElse(_ answer: String) throws {
        let server = try CannedServer([answer])
        #expect(try !#require(HealthCheck("http://127.0.0.1:\(server.port)/readyz")).isPassed())
        #expect(server.request.hasPrefix("GET /readyz HTTP/1.1\r\n"))
    }

    @Test func putsAnAnswerTogetherThatComesInPieces() throws {
        let server = try CannedServer(["HT", "TP/1.1 ", "20", "0 OK\r\n\r\n"])
        #expect(try #require(HealthCheck("http://localhost:\(server.port)/a?b")).isPassed())
        #expect(server.request.hasPrefix("GET /a?b HTTP/1.1\r\nHost: localhost:\(server.port)\r\n"))
    }

    @Test func failsWhenNothingListens() throws {
        let port = try CannedServer([]).port
        #expect(try !#require(HealthCheck("http://127.0.0.1:\(port)/")).isPassed())
        #expect(try !#require(HealthCheck("unix:/nonexistent/pending.sock")).isPassed())
    }

    @Test func givesUpOnAServerThatSaysNothing() throws {
        let server = try CannedServer(nil)
        let check = try #require(HealthCheck("http://127.0.0.1:\(server.port)/"))
        #expect(!check.isPassed(within: .milliseconds(30)))
    }

    @Test func asksUnixSocketsToo() throws {
        let server = try CannedServer(["HTTP/1.1 200 OK\r\n\r\n"], path: "/tmp/health-\(getpid()).sock")
        #expect(try #require(HealthCheck("unix:/tmp/health-\(getpid()).sock")).isPassed())
        #expect(server.request.hasPrefix("GET /healthz HTTP/1.1\r\nHost: localhost\r\n"))
    }

    @Test(arguments: [
        "", "http://", "http:///healthz", "https://a", "127.0.0.1:8080", "http://a:b", "http://a:70000/",
        "http://u@a/",
        "http://a/b c", "http://a/b#c", "http://a/\r\nX: y", "http://[::1/", "http://a?b", "unix:",
    ])
    func knowsWhatItCannotAsk(_ url: String) {
        #expect(HealthCheck(url) == nil)
    }

    @Test(arguments: ["http://[::1]", "http://example.com/x", "http://10.0.0.1:1/?a", "unix:a/b"])
    func knowsWhatItCanAsk(_ url: String) {
        #expect(HealthCheck(url) != nil)
    }
}
