#ifndef ADOC_ADOC_H
#define ADOC_ADOC_H

/*
 * The C library for middleware: adoc_write() and adoc_read() stand where write() and read() do,
 * over any pair of connected descriptors with this library at both ends, and move the same bytes
 * sooner: where the link is slower than compression, what crosses it is compressed, at a level that
 * follows from how fast the link takes it. Where that cannot pay, as for most short messages, bytes
 * cross as they are, in one system call with a header of 13 bytes. The idea is Jeannot's: "Adaptive
 * Online Data Compression", INRIA RR-4400, 2002.
 *
 * Descriptors are stream sockets, pipes, FIFOs and terminals in raw mode. Each direction is one
 * stream of bytes without message borders, as in TCP. Nothing but this library may read or write a
 * descriptor in a direction in which it is used with this library; the other direction is free.
 *
 * Threads: every function may be called at any time from any thread, but not from a signal handler.
 * Calls for one direction of one descriptor are carried out one after the other; reading and
 * writing do not wait for each other. A descriptor has no thread of its own.
 *
 * State: what the library knows of a descriptor it drops in adoc_close(), and when the number turns
 * out to be another socket or pipe, since a close() by itself is not seen. FIFOs with a name and
 * terminals look the same when they are opened again, and need adoc_close(). Duplicates of a
 * descriptor share its state when both are used. After fork() both processes have it, and one of
 * them is to go on. State may be given up between two messages, as by exec() of a program that goes
 * on with the descriptor, when adoc_pending() and adoc_flush() say 0.
 *
 * Errors: -1, and errno is set. Beside those of the system calls:
 *   EPROTO     what came was not written by this library: the peer talks plain
 *   EBADMSG    what came was damaged, or ended within what was announced
 *   ENOMSG     a file comes next where adoc_read() is used, or bytes where a file is awaited
 *   ENODATA    the stream has ended where a file is awaited
 *   EREMOTEIO  the sender could not read all of its file
 *   EOPNOTSUPP the descriptor is no stream: a regular file, a directory, a datagram socket
 *   EINVAL     a length above SSIZE_MAX, levels that there are not
 *   ENOMEM     memory ran out: nothing was written, or read, by this call
 * After EPROTO and EBADMSG every further read of the descriptor fails in the same way. SIGPIPE is
 * not raised for sockets; for pipes it is, as by write().
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes n bytes as write() does, and returns how many were taken: n, or fewer where a signal or a
 * descriptor that does not block cut it short. When wire is not NULL, *wire is how many bytes stand
 * for those that were taken. 0 bytes are nothing on the wire.
 *
 * EINTR and EAGAIN mean that nothing was taken. What was taken and has not found room in the
 * system, less than 1 MiB, is sent behind the call, by one thread for all descriptors, or by the
 * next call; only a descriptor that does not block, or a signal, leaves any. Until then POLLOUT may
 * be seen while a write says EAGAIN.
 */
ssize_t adoc_write(int fd, const void* buf, size_t n, size_t* wire);

/*
 * The same at levels from min_level to max_level, 0 to adoc_max_level(). Level 0 is plain. What
 * does not shrink is plain at any level.
 */
ssize_t adoc_write_levels(int fd, const void* buf, size_t n, size_t* wire, int min_level,
                          int max_level);

/*
 * Reads up to n bytes as read() does: waits for the first, and returns what is there; 0 at the end
 * of the stream. Of a compressed run, which has up to 1 MiB, the first byte is there when all of it
 * is.
 */
ssize_t adoc_read(int fd, void* buf, size_t n);

/*
 * How many bytes adoc_read() would give without asking the system, at least: more than 0 if there
 * are any. poll() cannot see these, so this is to be 0 before poll() is waited in. Fails as the
 * next adoc_read() would.
 */
ssize_t adoc_pending(int fd);

/*
 * Sends what adoc_write() has taken and the system had no room for: 0 once there is nothing left.
 * EAGAIN where the descriptor does not block. To be called before shutdown(), exec() and exit().
 */
int adoc_flush(int fd);

/*
 * Sends what file holds from its offset to its end, and returns how many bytes that was. file is
 * any descriptor that can be read. Waits until all is sent, also where fd does not block; a signal
 * does not end it. When file cannot be read to its end this fails with read()'s error, and so does
 * the receiver, and the stream goes on behind it.
 */
int64_t adoc_send_file(int fd, int file, uint64_t* wire);
int64_t adoc_send_file_levels(int fd, int file, uint64_t* wire, int min_level, int max_level);

/*
 * Receives what one adoc_send_file() sends, writes it to file from its offset on, and returns how
 * many bytes that was. Waits as adoc_send_file() does. When file cannot be written to, the rest is
 * received and thrown away, this fails with write()'s error, and the stream goes on behind it.
 */
int64_t adoc_receive_file(int fd, int file);

/*
 * Drops the state, and closes the descriptor as close() does. What adoc_write() has taken is still
 * sent, as what a system has taken is.
 */
int adoc_close(int fd);

/* The highest level that there is. */
int adoc_max_level(void);

/* Words for an errno of these functions: static, never NULL. */
const char* adoc_strerror(int error_number);

/* The version of the library that is loaded: "0.1.0". */
const char* adoc_version(void);

#ifdef __cplusplus
}
#endif

#endif
