import Glibc
import PangoText
import Testing

struct MissingFontTests {
    @Test func machineWithoutFontsIsAnErrorAtStart() async {
        // Fontconfig reads its configuration once per process, so this needs a process of its own.
        await #expect(processExitsWith: .exitCode(3)) {
            var path = Array("/tmp/pending-no-fonts-XXXXXX".utf8CString)
            let file = mkstemp(&path)
            let configuration = "<fontconfig></fontconfig>"
            #expect(write(file, configuration, configuration.utf8.count) == configuration.utf8.count)
            close(file)
            setenv("FONTCONFIG_FILE", path, 1)
            defer { unlink(path) }
            do {
                _ = try PangoTextMeasurer()
            } catch PangoTextError.noFont {
                unlink(path)
                exit(3)
            }
        }
    }
}
