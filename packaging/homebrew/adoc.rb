class Adoc < Formula
  desc "File transfer that compresses as hard as the link allows"
  homepage "https://adoc.example/"
  url "https://adoc.example/adoc-0.1.0.tar.gz"
  # The sum of the archive of a release stands here once it is published.
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkg-config" => :build
  depends_on "bzip3"
  depends_on "libseccomp"
  depends_on :linux
  depends_on "lz4"
  depends_on "openssl@3"
  depends_on "re2"
  depends_on "spdlog"
  depends_on "xxhash"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DADOC_BUILD_TESTS=OFF",
           "-DADOC_FEW_LIBRARIES=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build", "--component", "programs"
    system "cmake", "--install", "build", "--component", "shared"
    system "cmake", "--install", "build", "--component", "library"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/adoc-send --version")
  end
end
