// swift-tools-version: 6.2
import PackageDescription

/// Every target: Swift 6 language mode, and a warning is an error.
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil
) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(of name: String, _ more: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name)] + more, swiftSettings: strict)
}

let package = Package(
    name: "Pending",
    products: [
        .library(name: "IndicatorLayout", targets: ["IndicatorLayout"]),
        .executable(name: "pendingd", targets: ["pendingd"]),
        .executable(name: "pending-bench", targets: ["pending-bench"]),
    ],
    targets: [
        // Pure: no clock, no socket, no JSON, no import but what stands here.
        library("IndicatorLayout"),
        library("ActivityCore", ["IndicatorLayout"]),
        library("AccessRules", ["ActivityCore"]),
        library("HTTPCodec"),

        // Each owns one C library.
        .systemLibrary(name: "CLibevent", pkgConfig: "libevent_core", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPango", pkgConfig: "pangocairo", providers: [.apt(["libpango1.0-dev"])]),
        .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        library("EventHTTP", ["CLibevent", "HTTPCodec"]),
        library("Journal", ["CSQLite"]),
        library("PangoText", ["CPango", "CCrypto", "IndicatorLayout"]),
        library("WireFormat", ["CJansson", "CCrypto", "ActivityCore", "AccessRules"]),

        // The only place where decisions become effects.
        library(
            "ActivityService",
            [
                "IndicatorLayout", "ActivityCore", "AccessRules", "HTTPCodec", "EventHTTP", "Journal",
                "PangoText",
                "WireFormat",
            ],
            // The files for browsers, as bytes within the program.
            resources: [.embedInCode("Web")]),
        .executableTarget(name: "pendingd", dependencies: ["ActivityService"], swiftSettings: strict),

        // Measures the daemon from outside, and the layout from inside.
        .systemLibrary(name: "CLinux"),
        .executableTarget(
            name: "pending-bench", dependencies: ["CLinux", "IndicatorLayout", "PangoText"],
            swiftSettings: strict),

        tests(of: "IndicatorLayout"),
        tests(of: "ActivityCore"),
        tests(of: "AccessRules", ["ActivityCore"]),
        tests(of: "HTTPCodec"),
        tests(of: "EventHTTP"),
        tests(of: "Journal"),
        tests(of: "PangoText", ["IndicatorLayout"]),
        tests(of: "WireFormat", ["ActivityCore", "AccessRules"]),
        tests(of: "ActivityService"),
    ]
)
