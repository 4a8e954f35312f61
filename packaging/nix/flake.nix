{
  description = "File transfer that compresses as hard as the link allows";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-24.11";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.stdenv.mkDerivation {
          pname = "adoc";
          version = "0.1.0";
          src = ../..;
          nativeBuildInputs = [
            pkgs.cmake
            pkgs.ninja
            pkgs.pkg-config
          ];
          buildInputs = [
            pkgs.bzip3
            pkgs.cli11
            pkgs.libseccomp
            pkgs.lz4
            pkgs.nlohmann_json
            pkgs.openssl
            pkgs.re2
            pkgs.spdlog
            pkgs.xxHash
            pkgs.zlib
            pkgs.zstd
          ];
          cmakeFlags = [
            "-DADOC_BUILD_TESTS=OFF"
            "-DADOC_FEW_LIBRARIES=OFF"
          ];
          meta = {
            description = "File transfer that compresses as hard as the link allows";
            license = nixpkgs.lib.licenses.asl20;
            platforms = nixpkgs.lib.platforms.linux;
          };
        };
      });
    };
}
