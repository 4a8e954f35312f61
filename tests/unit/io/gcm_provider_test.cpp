#include "io/gcm_provider.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace adoc {
namespace {

using Octets = std::vector<unsigned char>;

struct FreeCipher {
  void operator()(EVP_CIPHER* cipher) const noexcept { EVP_CIPHER_free(cipher); }
};
struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};

/// AES-128-GCM of one of OpenSSL's providers, used as its TLS does.
class Cipher {
 public:
  explicit Cipher(const char* properties)
      : cipher_(EVP_CIPHER_fetch(nullptr, "id-aes128-GCM", properties)) {}

  [[nodiscard]] std::string provider() const {
    if (!cipher_) return "none";
    return OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher_.get()));
  }

  void set_key(const Octets& key, bool encrypts) {
    context_.reset(EVP_CIPHER_CTX_new());
    encrypts_ = encrypts;
    const int flag = encrypts ? 1 : 0;
    ASSERT_EQ(EVP_CipherInit_ex(get(), cipher_.get(), nullptr, nullptr, nullptr, flag), 1);
    ASSERT_EQ(EVP_CIPHER_CTX_ctrl(get(), EVP_CTRL_AEAD_SET_IVLEN, 12, nullptr), 1);
    ASSERT_EQ(EVP_CipherInit_ex(get(), nullptr, nullptr, key.data(), nullptr, -1), 1);
  }

  /// The bytes and then the tag; in place, in pieces of up to `piece` bytes.
  [[nodiscard]] Octets encrypt(const Octets& iv, Octets aad, Octets text, int piece) {
    EXPECT_TRUE(begin(iv) && add(aad) && run(text, piece));
    Octets tag(16);
    EXPECT_EQ(EVP_CIPHER_CTX_ctrl(get(), EVP_CTRL_AEAD_GET_TAG, 16, tag.data()), 1);
    text.insert(text.end(), tag.begin(), tag.end());
    return text;
  }

  /// Nothing, if the tag is another.
  [[nodiscard]] std::optional<Octets> decrypt(const Octets& iv, Octets aad, Octets sealed,
                                              int piece) {
    EXPECT_TRUE(begin(iv));
    EXPECT_EQ(EVP_CIPHER_CTX_ctrl(get(), EVP_CTRL_AEAD_SET_TAG, 16, &*(sealed.end() - 16)), 1);
    sealed.resize(sealed.size() - 16);
    if (!add(aad) || !run(sealed, piece)) return std::nullopt;
    return sealed;
  }

  bool begin(const Octets& iv) {
    return EVP_CipherInit_ex(get(), nullptr, nullptr, nullptr, iv.data(), encrypts_ ? 1 : 0) == 1;
  }
  bool add(const Octets& aad) {
    int done = 0;
    return EVP_CipherUpdate(get(), nullptr, &done, aad.data(), static_cast<int>(aad.size())) == 1;
  }
  bool run(Octets& text, int piece) {
    int done = 0;
    const int size = static_cast<int>(text.size());
    for (int at = 0; at < size; at += piece)
      if (EVP_CipherUpdate(get(), &text[static_cast<std::size_t>(at)], &done,
                           &text[static_cast<std::size_t>(at)], std::min(piece, size - at)) != 1)
        return false;
    unsigned char none = 0;
    return EVP_CipherFinal_ex(get(), &none, &done) == 1 && done == 0;
  }
  [[nodiscard]] EVP_CIPHER_CTX* get() const { return context_.get(); }

 private:
  std::unique_ptr<EVP_CIPHER, FreeCipher> cipher_;
  std::unique_ptr<EVP_CIPHER_CTX, FreeContext> context_;
  bool encrypts_ = true;
};

class GcmProvider : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(load_gcm_provider());
    ours_.emplace(kPrefersGcmProvider);
    theirs_.emplace("provider=default");
    ASSERT_EQ(ours_->provider(), kGcmProvider);
    ASSERT_EQ(theirs_->provider(), "default");
  }

  Octets octets(std::size_t count) {
    Octets made(count);
    for (unsigned char& octet : made) octet = static_cast<unsigned char>(random_() >> 8);
    return made;
  }

  std::minstd_rand random_{1};
  std::optional<Cipher> ours_;
  std::optional<Cipher> theirs_;
};

// Test case 4 of McGrew and Viega, The Galois/Counter Mode of Operation, appendix B.
TEST_F(GcmProvider, MakesWhatItsInventorsSay) {
  const auto hex = [](const std::string& text) {
    Octets made;
    for (std::size_t at = 0; at < text.size(); at += 2)
      made.push_back(static_cast<unsigned char>(std::stoi(text.substr(at, 2), nullptr, 16)));
    return made;
  };
  ours_->set_key(hex("feffe9928665731c6d6a8f9467308308"), true);
  EXPECT_EQ(
      ours_->encrypt(hex("cafebabefacedbaddecaf888"),
                     hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
                     hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95"
                         "956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"),
                     100),
      hex("42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a"
          "5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47"));
}

TEST_F(GcmProvider, IsForThoseAloneWhoPreferIt) {
  EXPECT_EQ(Cipher(nullptr).provider(), "default");
}

TEST_F(GcmProvider, AgreesWithOpenSslAboutEveryLength) {
  std::vector<std::size_t> lengths;
  for (std::size_t length = 0; length < 600; ++length) lengths.push_back(length);
  for (const std::size_t length : {16'367U, 16'384U, 16'385U, 100'003U}) lengths.push_back(length);
  for (const std::size_t length : lengths) {
    const Octets key = octets(16);
    const Octets iv = octets(12);
    const Octets aad = octets(length % 65);
    const Octets text = octets(length);
    const int piece = length % 3 == 0 ? 1 << 20 : 1 + static_cast<int>(length % 97);
    ours_->set_key(key, true);
    theirs_->set_key(key, true);
    const Octets sealed = ours_->encrypt(iv, aad, text, piece);
    ASSERT_EQ(sealed, theirs_->encrypt(iv, aad, text, 1 << 20)) << length;
    ours_->set_key(key, false);
    ASSERT_EQ(ours_->decrypt(iv, aad, sealed, piece), text) << length;
  }
}

TEST_F(GcmProvider, RefusesWhatWasChanged) {
  const Octets key = octets(16);
  const Octets iv = octets(12);
  const Octets aad = octets(5);
  ours_->set_key(key, true);
  const Octets sealed = ours_->encrypt(iv, aad, octets(1'000), 1 << 20);
  ours_->set_key(key, false);
  const auto flipped = [](Octets octets, std::size_t at) {
    octets[at] ^= 4;
    return octets;
  };
  for (const std::size_t at : {0U, 500U, 999U, 1'000U, 1'015U})
    EXPECT_FALSE(ours_->decrypt(iv, aad, flipped(sealed, at), 1 << 20)) << at;
  EXPECT_FALSE(ours_->decrypt(flipped(iv, 11), aad, sealed, 1 << 20));
  EXPECT_FALSE(ours_->decrypt(iv, flipped(aad, 4), sealed, 1 << 20));
  EXPECT_TRUE(ours_->decrypt(iv, aad, sealed, 1 << 20));
  ours_->set_key(flipped(key, 15), false);
  EXPECT_FALSE(ours_->decrypt(iv, aad, sealed, 1 << 20));
}

TEST_F(GcmProvider, NeverUsesAnIvTwice) {
  ours_->set_key(octets(16), true);
  Octets text = octets(100);
  EXPECT_FALSE(ours_->run(text, 100)) << "without any";
  static_cast<void>(ours_->encrypt(octets(12), octets(5), text, 100));
  EXPECT_FALSE(ours_->run(text, 100)) << "the last message's";
}

TEST_F(GcmProvider, RefusesMisuse) {
  const Octets key = octets(16);
  ours_->set_key(key, false);
  EXPECT_NE(EVP_CIPHER_CTX_ctrl(ours_->get(), EVP_CTRL_AEAD_SET_IVLEN, 16, nullptr), 1);
  Octets tag = octets(16);
  EXPECT_NE(EVP_CIPHER_CTX_ctrl(ours_->get(), EVP_CTRL_AEAD_SET_TAG, 4, tag.data()), 1);
  EXPECT_TRUE(ours_->begin(octets(12)) && ours_->add(octets(5)));
  Octets text = octets(100);
  EXPECT_FALSE(ours_->run(text, 100)) << "no tag to compare with";
  ours_->set_key(key, true);
  EXPECT_FALSE(ours_->begin(octets(12)) && ours_->add(octets(65))) << "more than it keeps";
  EXPECT_TRUE(ours_->begin(octets(12)));
  EXPECT_NE(EVP_CIPHER_CTX_ctrl(ours_->get(), EVP_CTRL_AEAD_GET_TAG, 16, tag.data()), 1)
      << "a tag of nothing";
  unsigned char out[16] = {};
  int done = 0;
  EXPECT_TRUE(ours_->begin(octets(12)) && ours_->add(octets(5)));
  EXPECT_EQ(EVP_CipherUpdate(ours_->get(), out, &done, text.data(), 16), 1);
  EXPECT_FALSE(ours_->add(octets(5))) << "after the data";
}

}  // namespace
}  // namespace adoc
