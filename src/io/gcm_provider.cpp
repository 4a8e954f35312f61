#include "io/gcm_provider.hpp"

#if !ADOC_HAS_IPSEC_MB

namespace adoc {

bool load_gcm_provider() noexcept { return false; }
const char* fastest_ciphers() noexcept { return nullptr; }

}  // namespace adoc

#else

#include <intel-ipsec-mb.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>

namespace adoc {

namespace {

constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kIvBytes = 12;
constexpr std::size_t kTagBytes = 16;

/// TLS 1.3 has 5: the header of a record.
constexpr std::size_t kMostAadBytes = 64;

/// More under one IV would repeat the counter.
constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 36) - 32;

/// One key in one direction, and at most one message of it at a time: begin(), the additional data,
/// the data, end(). Used by one thread at a time.
class Gcm {
 public:
  /// `library` outlives this.
  explicit Gcm(const IMB_MGR& library) noexcept : library_(library) {}
  Gcm(const Gcm&) = delete;
  Gcm& operator=(const Gcm&) = delete;
  ~Gcm() {
    OPENSSL_cleanse(&key_, sizeof key_);
    OPENSSL_cleanse(&message_, sizeof message_);
  }

  void set_direction(bool encrypts) noexcept {
    if (encrypts != encrypts_) tag_.reset();
    encrypts_ = encrypts;
  }
  void set_key(std::span<const unsigned char, kKeyBytes> key) noexcept {
    IMB_AES128_GCM_PRE(&library_, key.data(), &key_);
    has_key_ = true;
    state_ = State::idle;
  }

  /// A message that was begun and not ended is given up.
  void begin(std::span<const unsigned char, kIvBytes> iv) noexcept {
    std::copy(iv.begin(), iv.end(), iv_.begin());
    aad_bytes_ = 0;
    data_bytes_ = 0;
    state_ = State::has_iv;
  }

  [[nodiscard]] bool add_aad(std::span<const unsigned char> aad) noexcept {
    if (state_ != State::has_iv || aad.size() > aad_.size() - aad_bytes_) return false;
    std::copy(aad.begin(), aad.end(), aad_.begin() + aad_bytes_);
    aad_bytes_ += aad.size();
    return true;
  }

  /// `out` may be where `in` is.
  [[nodiscard]] bool update(unsigned char* out, std::span<const unsigned char> in) noexcept {
    if (!begin_data() || in.size() > kMostBytes - data_bytes_) return false;
    data_bytes_ += in.size();
    if (encrypts_)
      IMB_AES128_GCM_ENC_UPDATE(&library_, &key_, &message_, out, in.data(), in.size());
    else
      IMB_AES128_GCM_DEC_UPDATE(&library_, &key_, &message_, out, in.data(), in.size());
    return true;
  }

  /// Makes the tag, or compares it with the one that was expected. The next message needs a new IV.
  [[nodiscard]] bool end() noexcept {
    if (!begin_data()) return false;
    state_ = State::idle;
    std::array<unsigned char, kTagBytes> tag{};
    if (encrypts_) {
      IMB_AES128_GCM_ENC_FINALIZE(&library_, &key_, &message_, tag.data(), tag.size());
      tag_ = tag;
      return true;
    }
    IMB_AES128_GCM_DEC_FINALIZE(&library_, &key_, &message_, tag.data(), tag.size());
    const bool same = tag_ && CRYPTO_memcmp(tag.data(), tag_->data(), tag.size()) == 0;
    tag_.reset();
    return same;
  }

  void expect_tag(std::span<const unsigned char, kTagBytes> tag) noexcept {
    std::copy(tag.begin(), tag.end(), tag_.emplace().begin());
  }
  /// Of the last message that was encrypted.
  [[nodiscard]] const auto& tag() const noexcept { return tag_; }
  [[nodiscard]] bool encrypts() const noexcept { return encrypts_; }

 private:
  enum class State { idle, has_iv, has_data };

  bool begin_data() noexcept {
    if (!has_key_ || state_ == State::idle) return false;
    if (state_ == State::has_iv)
      IMB_AES128_GCM_INIT(&library_, &key_, &message_, iv_.data(), aad_.data(), aad_bytes_);
    state_ = State::has_data;
    return true;
  }

  alignas(64) gcm_key_data key_{};
  gcm_context_data message_{};
  const IMB_MGR& library_;
  std::array<unsigned char, kIvBytes> iv_{};
  std::array<unsigned char, kMostAadBytes> aad_{};
  std::size_t aad_bytes_ = 0;
  std::uint64_t data_bytes_ = 0;
  std::optional<std::array<unsigned char, kTagBytes> > tag_;
  State state_ = State::idle;
  bool has_key_ = false;
  bool encrypts_ = true;
};

struct FreeLibrary {
  void operator()(IMB_MGR* library) const noexcept { free_mb_mgr(library); }
};

// What OpenSSL calls. 1 is success. See provider-cipher(7).

const IMB_MGR& library_of(void* provider) noexcept {
  return *static_cast<const IMB_MGR*>(provider);
}
Gcm& gcm(void* context) noexcept { return *static_cast<Gcm*>(context); }

void* new_context(void* provider) noexcept { return new (std::nothrow) Gcm(library_of(provider)); }
void free_context(void* context) noexcept { delete static_cast<Gcm*>(context); }

int set_context_params(void* context, const OSSL_PARAM params[]) noexcept {
  if (params == nullptr) return 1;
  std::size_t size = 0;
  if (const OSSL_PARAM* const it = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_IVLEN);
      it != nullptr && (OSSL_PARAM_get_size_t(it, &size) != 1 || size != kIvBytes))
    return 0;
  if (const OSSL_PARAM* const it = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_KEYLEN);
      it != nullptr && (OSSL_PARAM_get_size_t(it, &size) != 1 || size != kKeyBytes))
    return 0;
  if (const OSSL_PARAM* const it = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TAG);
      it != nullptr) {
    if (it->data_type != OSSL_PARAM_OCTET_STRING || it->data == nullptr ||
        it->data_size != kTagBytes || gcm(context).encrypts())
      return 0;
    gcm(context).expect_tag(std::span<const unsigned char, kTagBytes>(
        static_cast<unsigned char*>(it->data), kTagBytes));
  }
  return 1;
}

int begin(void* context, bool encrypts, const unsigned char* key, std::size_t key_bytes,
          const unsigned char* iv, std::size_t iv_bytes, const OSSL_PARAM params[]) noexcept {
  gcm(context).set_direction(encrypts);
  if (key != nullptr) {
    if (key_bytes != kKeyBytes) return 0;
    gcm(context).set_key(std::span<const unsigned char, kKeyBytes>(key, kKeyBytes));
  }
  if (iv != nullptr) {
    if (iv_bytes != kIvBytes) return 0;
    gcm(context).begin(std::span<const unsigned char, kIvBytes>(iv, kIvBytes));
  }
  return set_context_params(context, params);
}

int begin_encryption(void* context, const unsigned char* key, std::size_t key_bytes,
                     const unsigned char* iv, std::size_t iv_bytes,
                     const OSSL_PARAM params[]) noexcept {
  return begin(context, true, key, key_bytes, iv, iv_bytes, params);
}

int begin_decryption(void* context, const unsigned char* key, std::size_t key_bytes,
                     const unsigned char* iv, std::size_t iv_bytes,
                     const OSSL_PARAM params[]) noexcept {
  return begin(context, false, key, key_bytes, iv, iv_bytes, params);
}

int update(void* context, unsigned char* out, std::size_t* out_bytes, std::size_t room,
           const unsigned char* in, std::size_t in_bytes) noexcept {
  *out_bytes = 0;
  if (in_bytes == 0) return 1;
  const std::span input(in, in_bytes);
  if (out == nullptr) return gcm(context).add_aad(input) ? 1 : 0;
  if (room < in_bytes || !gcm(context).update(out, input)) return 0;
  *out_bytes = in_bytes;
  return 1;
}

int final(void* context, unsigned char*, std::size_t* out_bytes, std::size_t) noexcept {
  *out_bytes = 0;
  return gcm(context).end() ? 1 : 0;
}

template <class Value>
bool give(OSSL_PARAM params[], const char* name, int (*set)(OSSL_PARAM*, Value), Value value) {
  OSSL_PARAM* const it = OSSL_PARAM_locate(params, name);
  return it == nullptr || set(it, value) == 1;
}

int get_params(OSSL_PARAM params[]) noexcept {
  return give(params, OSSL_CIPHER_PARAM_MODE, OSSL_PARAM_set_uint, unsigned{EVP_CIPH_GCM_MODE}) &&
                 give(params, OSSL_CIPHER_PARAM_AEAD, OSSL_PARAM_set_int, 1) &&
                 give(params, OSSL_CIPHER_PARAM_CUSTOM_IV, OSSL_PARAM_set_int, 1) &&
                 give(params, OSSL_CIPHER_PARAM_KEYLEN, OSSL_PARAM_set_size_t, kKeyBytes) &&
                 give(params, OSSL_CIPHER_PARAM_IVLEN, OSSL_PARAM_set_size_t, kIvBytes) &&
                 // A stream, as far as the caller is concerned.
                 give(params, OSSL_CIPHER_PARAM_BLOCK_SIZE, OSSL_PARAM_set_size_t, std::size_t{1})
             ? 1
             : 0;
}

int get_context_params(void* context, OSSL_PARAM params[]) noexcept {
  if (OSSL_PARAM* const it = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TAG); it != nullptr) {
    const auto& tag = gcm(context).tag();
    if (!gcm(context).encrypts() || !tag || it->data_size > tag->size() ||
        OSSL_PARAM_set_octet_string(it, tag->data(), it->data_size) != 1)
      return 0;
  }
  return give(params, OSSL_CIPHER_PARAM_KEYLEN, OSSL_PARAM_set_size_t, kKeyBytes) &&
                 give(params, OSSL_CIPHER_PARAM_IVLEN, OSSL_PARAM_set_size_t, kIvBytes) &&
                 give(params, OSSL_CIPHER_PARAM_AEAD_TAGLEN, OSSL_PARAM_set_size_t, kTagBytes)
             ? 1
             : 0;
}

const OSSL_PARAM* gettable_params(void*) noexcept {
  static const OSSL_PARAM kParams[]{OSSL_PARAM_uint(OSSL_CIPHER_PARAM_MODE, nullptr),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_AEAD, nullptr),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_CUSTOM_IV, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, nullptr),
                                    OSSL_PARAM_END};
  return kParams;
}

const OSSL_PARAM* gettable_context_params(void*, void*) noexcept {
  static const OSSL_PARAM kParams[]{OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 0),
                                    OSSL_PARAM_END};
  return kParams;
}

const OSSL_PARAM* settable_context_params(void*, void*) noexcept {
  static const OSSL_PARAM kParams[]{OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 0),
                                    OSSL_PARAM_END};
  return kParams;
}

template <class Function>
OSSL_DISPATCH entry(int id, Function* function) noexcept {
  return {id, reinterpret_cast<void (*)()>(function)};
}

const OSSL_ALGORITHM* query(void*, int operation, int* no_cache) noexcept {
  static const std::array kFunctions{
      entry(OSSL_FUNC_CIPHER_NEWCTX, new_context),
      entry(OSSL_FUNC_CIPHER_FREECTX, free_context),
      entry(OSSL_FUNC_CIPHER_ENCRYPT_INIT, begin_encryption),
      entry(OSSL_FUNC_CIPHER_DECRYPT_INIT, begin_decryption),
      entry(OSSL_FUNC_CIPHER_UPDATE, update),
      entry(OSSL_FUNC_CIPHER_FINAL, final),
      entry(OSSL_FUNC_CIPHER_GET_PARAMS, get_params),
      entry(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get_context_params),
      entry(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set_context_params),
      entry(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, gettable_params),
      entry(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, gettable_context_params),
      entry(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, settable_context_params),
      OSSL_DISPATCH{0, nullptr}};
  // All the names of the cipher, as OpenSSL has them.
  static const std::array kCiphers{
      OSSL_ALGORITHM{"AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", "provider=adoc-gcm",
                     kFunctions.data(), "AES-128-GCM of libipsec-mb"},
      OSSL_ALGORITHM{nullptr, nullptr, nullptr, nullptr}};
  *no_cache = 0;
  return operation == OSSL_OP_CIPHER ? kCiphers.data() : nullptr;
}

void tear_down(void* provider) noexcept { free_mb_mgr(static_cast<IMB_MGR*>(provider)); }

int begin_provider(const OSSL_CORE_HANDLE*, const OSSL_DISPATCH*, const OSSL_DISPATCH** functions,
                   void** provider) noexcept {
  static const std::array kFunctions{entry(OSSL_FUNC_PROVIDER_TEARDOWN, tear_down),
                                     entry(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query),
                                     OSSL_DISPATCH{0, nullptr}};
  std::unique_ptr<IMB_MGR, FreeLibrary> library(alloc_mb_mgr(0));
  if (!library) return 0;
  IMB_ARCH chosen{};
  init_mb_mgr_auto(library.get(), &chosen);
  // Not ready: it has no code for this processor, or its own test of that code failed.
  if (imb_get_errno(library.get()) != 0 || library->gcm128_init == nullptr) return 0;
  *functions = kFunctions.data();
  *provider = library.release();
  return 1;
}

struct UnloadProvider {
  void operator()(OSSL_PROVIDER* provider) const noexcept { OSSL_PROVIDER_unload(provider); }
};

struct FreeCipher {
  void operator()(EVP_CIPHER* cipher) const noexcept { EVP_CIPHER_free(cipher); }
};

/// Whether who asks OpenSSL for the cipher, and for nothing special, gets OpenSSL's usual one: not
/// so where the administrator has set up others, which are then not to be passed by. Asked before
/// ours is there, so that it is the first and stays what everybody else in this process gets.
bool has_usual_cipher() noexcept {
  const std::unique_ptr<EVP_CIPHER, FreeCipher> cipher(
      EVP_CIPHER_fetch(nullptr, "AES-128-GCM", nullptr));
  return cipher != nullptr && OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher.get())) ==
                                  std::string_view("default");
}

/// OpenSSL has the same from here on.
constexpr unsigned long kWideOpenSsl = 0x30100000;

/// Without all of these the library has no more than OpenSSL.
bool has_wide_aes() noexcept {
  const std::unique_ptr<IMB_MGR, FreeLibrary> library(alloc_mb_mgr(0));
  return library && (library->features & IMB_CPUFLAGS_AVX512_T2) == IMB_CPUFLAGS_AVX512_T2 &&
         __builtin_cpu_supports("avx512vl") != 0;  // as the operating system allows, too
}

}  // namespace

bool load_gcm_provider() noexcept {
  // Unloaded at the end of the process, before OpenSSL ends, which was begun before it. The
  // providers that OpenSSL has by itself stay.
  static const std::unique_ptr<OSSL_PROVIDER, UnloadProvider> loaded([] {
    ERR_set_mark();
    OSSL_PROVIDER* const made =
        has_usual_cipher() && OSSL_PROVIDER_add_builtin(nullptr, kGcmProvider, begin_provider) == 1
            ? OSSL_PROVIDER_try_load(nullptr, kGcmProvider, 1)
            : nullptr;
    ERR_pop_to_mark();
    return made;
  }());
  return loaded != nullptr;
}

const char* fastest_ciphers() noexcept {
  static const bool ours = OpenSSL_version_num() < kWideOpenSsl && has_wide_aes();
  return ours && load_gcm_provider() ? kPrefersGcmProvider : nullptr;
}

}  // namespace adoc

#endif
