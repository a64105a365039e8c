import Testing

@testable import EventHTTP

@Suite struct KeepAliveTests {
    @Test func answersOneRequestAfterTheOtherOnOneConnection() throws {
        let server = try TestServer()
        let client = try server.client()
        for _ in 0..<3 {
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try client.response()
            #expect(response.status == 200)
            #expect(response.body == "hello")
            #expect(response.value(of: "connection") == nil)
        }
    }
}
