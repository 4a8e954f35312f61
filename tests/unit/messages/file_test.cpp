#include <sys/mman.h>
#include <sys/resource.h>

#include <csignal>
#include <thread>

#include "unit/messages/ends.hpp"

namespace adoc {
namespace {

using namespace testkit;

int memory_file(const Bytes& contents) {
  const int file = memfd_create("file", 0);
  EXPECT_EQ(write(file, contents.data(), contents.size()), static_cast<ssize_t>(contents.size()));
  EXPECT_EQ(lseek(file, 0, SEEK_SET), 0);
  return file;
}

Bytes contents_of(int file) {
  Bytes contents(static_cast<std::size_t>(lseek(file, 0, SEEK_END)));
  EXPECT_EQ(pread(file, contents.data(), contents.size(), 0),
            static_cast<ssize_t>(contents.size()));
  close(file);
  return contents;
}

TEST(MessageFileTest, FilesComeAcrossBetweenMessages) {
  // Goal: each file ends where it ends, whatever is before and behind it, also with descriptors
  // that do not block; from the offset on.
  for (const bool blocks : {true, false}) {
    const Ends ends = tcp_pair();
    if (!blocks) set_non_blocking(ends.a);
    if (!blocks) set_non_blocking(ends.b);
    for (const std::size_t bytes : {0U, 1U, 300'000U, 5'000'000U}) {
      const Bytes contents = words(bytes);
      std::thread sender([&] {
        write_all(ends.a, words(500), 1);
        const int file = memory_file(contents);
        lseek(file, bytes == 0 ? 0 : 1, SEEK_SET);
        uint64_t wire = 0;
        EXPECT_EQ(adoc_send_file(ends.a, file, &wire),
                  static_cast<int64_t>(bytes == 0 ? 0 : bytes - 1));
        EXPECT_GE(wire, 36U);
        close(file);
        write_all(ends.a, words(70'000));
      });
      EXPECT_EQ(read_bytes(ends.b, 500), words(500));
      const int file = memfd_create("received", 0);
      EXPECT_EQ(adoc_receive_file(ends.b, file), static_cast<int64_t>(bytes == 0 ? 0 : bytes - 1));
      const Bytes got = contents_of(file);
      EXPECT_TRUE(std::equal(got.begin(), got.end(), contents.end() - std::ssize(got)));
      EXPECT_EQ(read_bytes(ends.b, 70'000), words(70'000));
      sender.join();
    }
  }
}

TEST(MessageFileTest, BytesAreNoFileAndAFileIsNoBytes) {
  // Goal: ENOMSG takes nothing: the other call goes on.
  const Ends ends = socket_pair();
  write_all(ends.a, words(10));
  const int file = memory_file(words(100));
  EXPECT_EQ(adoc_send_file(ends.a, file, nullptr), 100);
  close(file);
  const int received = memfd_create("received", 0);
  EXPECT_EQ(adoc_receive_file(ends.b, received), -1);
  EXPECT_EQ(errno, ENOMSG);
  EXPECT_EQ(read_bytes(ends.b, 10), words(10));
  std::byte one{};
  EXPECT_EQ(adoc_read(ends.b, &one, 1), -1);
  EXPECT_EQ(errno, ENOMSG);
  EXPECT_EQ(adoc_pending(ends.b), -1);
  EXPECT_EQ(errno, ENOMSG);
  EXPECT_EQ(adoc_receive_file(ends.b, received), 100);
  EXPECT_EQ(contents_of(received), words(100));
}

TEST(MessageFileTest, AFileThatCannotBeReadFailsAtBothEnds) {
  // Goal: the sender has read()'s error, the receiver one of its own, and the stream goes on.
  const Ends ends = socket_pair();
  const Ends unread = pipe_ends();
  EXPECT_EQ(adoc_send_file(ends.a, unread.a, nullptr), -1);
  EXPECT_EQ(errno, EBADF);
  write_all(ends.a, words(10));
  const int received = memfd_create("received", 0);
  EXPECT_EQ(adoc_receive_file(ends.b, received), -1);
  EXPECT_EQ(errno, EREMOTEIO);
  close(received);
  EXPECT_EQ(read_bytes(ends.b, 10), words(10));
}

TEST(MessageFileTest, AFileThatCannotBeWrittenIsThrownAway) {
  // Goal: write()'s error, and the next message is where it should be.
  const Ends ends = socket_pair();
  std::thread sender([&] {
    const int file = memory_file(words(3'000'000));
    EXPECT_EQ(adoc_send_file(ends.a, file, nullptr), 3'000'000);
    close(file);
    write_all(ends.a, words(10));
  });
  Ends unwritable = pipe_ends();
  EXPECT_EQ(adoc_receive_file(ends.b, unwritable.b), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(read_bytes(ends.b, 10), words(10));
  sender.join();
}

TEST(MessageFileTest, TheEndIsNoFile) {
  // Goal: no file of 0 bytes is made up.
  Ends ends = socket_pair();
  ends.close_a();
  EXPECT_EQ(adoc_receive_file(ends.b, 1), -1);
  EXPECT_EQ(errno, ENODATA);
}

}  // namespace
}  // namespace adoc
