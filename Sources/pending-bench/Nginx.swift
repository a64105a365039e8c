/// An nginx that answers every request with the same body: what a poll is compared with.
final class Nginx {
    let process: ServerProcess
    let port: UInt16 = 9209
    private let folder: ScratchFolder

    /// - Parameter path: the program, such as `/usr/sbin/nginx`.
    init(_ path: String, body: String, folder: ScratchFolder) throws(BenchError) {
        self.folder = folder
        let configuration = """
            daemon off; master_process off; pid \(folder.path)/nginx.pid; error_log stderr;
            events { worker_connections 1024; multi_accept on; }
            http { access_log off; keepalive_requests 100000000; client_body_temp_path \(folder.path);
            server { listen 127.0.0.1:\(port) backlog=1024; location / { default_type application/json;
            return 200 '\(body)'; } } }

            """
        let file = "\(folder.path)/nginx.conf"
        try TextFile.write(configuration, to: file)
        process = try ServerProcess(path, ["-c", file], log: "\(folder.path)/nginx.log")
        for _ in 0..<2_000 {
            if (try? Client(port: port).answer(to: Request.get("/")))?.status == 200 { return }
            guard process.isAlive() else { break }
            Clock.pause(milliseconds: 1)
        }
        throw .daemon("nginx did not start: \(try TextFile.read("\(folder.path)/nginx.log"))")
    }
}
