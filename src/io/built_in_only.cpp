// Only in programs that are linked statically. They may run on a machine with another C library and
// another OpenSSL, and must not load what is there for those: modules that /etc/nsswitch.conf
// names, and providers that openssl.cnf names. Names of hosts come from /etc/hosts and DNS then,
// those of users from /etc/passwd.
#include <openssl/crypto.h>

#include <initializer_list>
#ifdef __GLIBC__
#include <nss.h>
#endif

namespace adoc {
namespace {

struct BuiltInOnly {
  BuiltInOnly() noexcept {
    ::OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
#ifdef __GLIBC__
    ::__nss_configure_lookup("hosts", "files dns");
    for (const char* database : {"passwd", "group", "initgroups", "services", "protocols"})
      ::__nss_configure_lookup(database, "files");
#endif
  }
};

/// Before main(), and so before anything is looked up.
const BuiltInOnly at_start;

}  // namespace
}  // namespace adoc
