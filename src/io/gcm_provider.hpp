#pragma once

namespace adoc {

/// AES-128-GCM by Intel's library for it (libipsec-mb), as a provider of OpenSSL, which asks it
/// instead of its own code where its property is preferred. With VAES and AVX-512 it does in one
/// instruction what takes OpenSSL before 3.1 four: the cipher is then five times as fast.
inline constexpr const char* kGcmProvider = "adoc-gcm";
inline constexpr const char* kPrefersGcmProvider = "?provider=adoc-gcm";

/// Makes the provider known to the default context of OpenSSL, once for the process, for those who
/// prefer it; all others get what they got before. False if the library is not part of this build
/// (it exists for x86 alone), does not trust itself on this machine, or if others than OpenSSL's
/// usual ciphers are set up (FIPS). Thread-safe.
[[nodiscard]] bool load_gcm_provider() noexcept;

/// The properties with which to ask OpenSSL for ciphers: those that prefer the provider, loaded,
/// where it is the faster; else null.
[[nodiscard]] const char* fastest_ciphers() noexcept;

}  // namespace adoc
