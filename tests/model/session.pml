/* One connection: SendSession and ReceiveSession with all their threads and queues, as
 * src/transfer/send_session.cpp and receive_session.cpp have them. README.md says what it proves
 * and what it leaves out.
 *
 * A thread is a process here, and named like the function that it runs. Any thread may fail at any
 * step (FAULTS times), the connection may be lost, and a block may arrive damaged.
 */

#ifndef BATCHES
#define BATCHES 2
#endif
#ifndef WINDOW
#define WINDOW 2 /* kMaxBatchesInFlight */
#endif
#ifndef FAULTS
#define FAULTS 1
#endif
#ifndef BLOCKS
#define BLOCKS 2 /* of a batch */
#endif
#define ALL ((1 << BLOCKS) - 1) /* a bit for each */

mtype = { offer, want, block, skipped, done, commit, end, error, token };

/* ---- what both sides share: the connection, one channel each way --------------------------- */

chan to_receiver = [1] of { mtype, byte, byte, bool }; /* type, batch, block or wanted, whole */
chan to_sender = [1] of { mtype, byte, byte };
bool lost = false;              /* the connection: what is under way may or may not arrive */
bool sender_finished = false;   /* finish_writing(): the peer sees the end after what was sent */
bool receiver_finished = false;
bool sender_gone = false;       /* the socket is closed */
bool receiver_gone = false;

byte faults = FAULTS;

/* ---- the sender ----------------------------------------------------------------------------- */

chan window = [WINDOW] of { mtype };
chan offered = [WINDOW] of { byte };
chan wanted = [WINDOW] of { byte, byte };
chan sent = [WINDOW] of { byte };
bool sender_failed = false; /* Lifeline: the first failure has failed all queues */
bool stop_hearing = false;  /* Stream::stop_reading() */
byte sender_threads = 3;
byte heard_commits = 0;     /* committed_batches_ */
bool some_failed = false;   /* an entry was not committed */
bool sender_over = false;
bool sender_good = false;

/* ---- the receiver --------------------------------------------------------------------------- */

chan offers = [WINDOW] of { byte };
chan answered = [WINDOW] of { byte, byte };
chan inbound = [1] of { mtype, byte, byte, bool };
chan filled = [1] of { byte, byte };
bool filled_closed = false;
bool receiver_failed = false;
byte receiver_threads = 4;
bool reply_lost = false; /* CommunicationStage::lost() */
bool receiver_over = false;
bool receiver_good = false;
byte in_flight = 0; /* batches_in_flight_ */

/* ---- what the proofs are about -------------------------------------------------------------- */

byte wants[BATCHES];      /* what the receiver asked for */
byte arrived[BATCHES];    /* blocks that were written with the right checksum */
bool unreadable[BATCHES]; /* the sender could not read all of it */
bool published[BATCHES];

/* What a queue does: waits for room or for an item, and wakes up when it was failed. */
#define PUSH(queue, item, failed)                      \
  if                                                   \
  :: atomic { !failed && nfull(queue) -> queue!item }  \
  :: failed -> goto leave                              \
  fi

/* SendSession::end_all() aborts both directions; a write after that is for nobody. */
#define to_receiver_broken (lost || receiver_gone || sender_failed)
#define to_sender_broken (lost || sender_gone || sender_failed)

/* A frame into the FIFO, from which the communication thread sends it: one channel here. A lost
 * connection is never the writer's failure: what it says is dropped, and the thread that hears is
 * told to stop and finds out. */
#define SAY_TO_RECEIVER(type, id, part)                                     \
  if                                                                        \
  :: atomic { !to_receiver_broken && nfull(to_receiver) ->                  \
       to_receiver!type(id, part, true) }                                   \
  :: atomic { to_receiver_broken && !sender_failed -> stop_hearing = true } \
  :: sender_failed -> goto leave                                            \
  fi

#define SAY_TO_SENDER(type, id, what)                                        \
  if                                                                         \
  :: atomic { !to_sender_broken && !receiver_failed && nfull(to_sender) ->   \
       to_sender!type(id, what) }                                            \
  :: atomic { to_sender_broken && !receiver_failed -> reply_lost = true }    \
  :: receiver_failed -> goto leave                                           \
  fi

proctype offer_batches() {
  byte id = 0;
  do
  :: id < BATCHES ->
#ifndef BUG_NO_WINDOW
     PUSH(window, token, sender_failed);
#endif
#ifdef BUG_OFFER_BEFORE_QUEUE
     SAY_TO_RECEIVER(offer, id, 0);
     PUSH(offered, id, sender_failed);
#else
     PUSH(offered, id, sender_failed);
     SAY_TO_RECEIVER(offer, id, 0);
#endif
     id = id + 1
  :: else -> break
  od;
leave:
  atomic { id = 0; sender_threads = sender_threads - 1 }
}

/* The compression threads are one: lanes keep the order (pipeline/lane_queue.hpp). */
proctype compress() {
  byte id; byte stream; byte next = 0; byte count = 0;
  do
  :: count < BATCHES ->
     if
     :: atomic { !sender_failed && nempty(wanted) -> wanted?id, stream; next = 0 }
     :: sender_failed -> goto leave
     fi;
     do
     :: atomic { next < BLOCKS && !(stream & (1 << next)) -> next = next + 1 }
#ifdef BUG_LAST_BLOCK_LEFT_OUT
     :: atomic { next == BLOCKS - 1 -> next = next + 1 }
#endif
     :: atomic { next < BLOCKS && (stream & (1 << next)) &&
                 (to_receiver_broken || nfull(to_receiver)) ->
          if
          :: to_receiver_broken -> stop_hearing = true
          :: !to_receiver_broken && unreadable[id] -> to_receiver!skipped(id, next, true)
          :: !to_receiver_broken && !unreadable[id] ->
             if
             :: to_receiver!block(id, next, true)
             :: faults > 0 -> faults = faults - 1; to_receiver!block(id, next, false)
             :: id == 0 -> unreadable[id] = true; to_receiver!skipped(id, next, true)
             fi
          fi;
          next = next + 1 }
     :: sender_failed -> goto leave
     :: next == BLOCKS -> break
     od;
     PUSH(sent, id, sender_failed);
     SAY_TO_RECEIVER(done, id, unreadable[id]);
     count = count + 1
  :: else -> break
  od;
  SAY_TO_RECEIVER(end, BATCHES, 0);
  sender_finished = true;
leave:
  atomic { id = 0; stream = 0; next = 0; count = 0; sender_threads = sender_threads - 1 }
}

/* What had arrived before a loss may be read, or not; then comes the end. */
#define sender_hears_end                 \
  (lost || stop_hearing || sender_failed || \
   (empty(to_sender) && (receiver_finished || receiver_gone)))

proctype hear() {
  mtype type; byte id; byte what; byte first;
  do
  :: atomic { nempty(to_sender) && !sender_failed -> to_sender?type, id, what;
       if
       :: type == want ->
          /* hear_want; for the batches of the window there is always room */
          assert(nempty(offered)); offered?first; assert(first == id);
          assert(nfull(wanted)); wanted!id(what)
       :: type == commit ->
          /* hear_commit */
          assert(nempty(sent)); sent?first; assert(first == id);
          if
          :: what == 0 ->
#ifndef BUG_FAILED_COUNTS_AS_COMMITTED
             some_failed = true;
#endif
             skip
          :: else -> assert(published[id])
          fi;
          heard_commits = heard_commits + 1;
#ifndef BUG_NO_WINDOW
          window?_
#endif
       :: type == error -> sender_failed = true; break
       :: type == end -> assert(heard_commits == BATCHES && id == BATCHES); break
       fi }
  :: atomic { sender_hears_end -> sender_failed = true; break }
  od;
  /* The receiver's end, and nothing after it but an error. */
  if
  :: sender_hears_end
  :: atomic { nempty(to_sender) && !sender_failed -> to_sender?type, id, what; assert(type == error);
       sender_failed = true }
  fi;
  atomic { type = 0; id = 0; what = 0; first = 0; sender_threads = sender_threads - 1 }
}

proctype send_session() {
  atomic { run offer_batches(); run compress(); run hear() };
  atomic { sender_threads == 0 ->
    sender_good = !sender_failed && !some_failed; sender_gone = true; sender_over = true }
}

/* ---- the receiver's threads ----------------------------------------------------------------- */

#define receiver_reads_end                   \
  (lost || receiver_failed || reply_lost ||  \
   (empty(to_receiver) && (sender_finished || sender_gone || sender_failed)))

proctype read_frames() {
  mtype type; byte id; byte part; bool whole; byte count = 0;
  do
  :: atomic { nempty(to_receiver) && !receiver_failed -> to_receiver?type, id, part, whole };
     if
     :: atomic { type == offer ->
          /* take_offer */
          assert(id == count && in_flight < WINDOW);
          count = count + 1; in_flight = in_flight + 1;
          assert(nfull(offers)); offers!id }
     :: atomic { type != offer && nfull(inbound) && !receiver_failed ->
          inbound!type(id, part, whole);
          if
          :: type == end -> break
          :: else
          fi }
     :: receiver_failed -> break
     fi
  :: atomic { receiver_reads_end -> receiver_failed = true; break }
  od;
  /* The sender's end, and nothing after it. */
  receiver_reads_end;
  atomic { type = 0; id = 0; part = 0; whole = 0; count = 0; receiver_threads = receiver_threads - 1 }
}

proctype answer_offers() {
  byte id; byte count = 0;
  do
  :: count < BATCHES ->
     if
     :: atomic { !receiver_failed && nempty(offers) -> offers?id;
          if /* nothing, a tail or all */
          :: id == 0 -> wants[id] = 0
          :: id == 0 -> wants[id] = 1 << (BLOCKS - 1)
          :: wants[id] = ALL
          fi }
     :: receiver_failed -> goto leave
     fi;
#ifdef BUG_WANT_BEFORE_QUEUE
     SAY_TO_SENDER(want, id, wants[id]);
     PUSH(answered, id(wants[id]), receiver_failed);
#else
     PUSH(answered, id(wants[id]), receiver_failed);
#ifdef BUG_WANT_DROPPED
     if
     :: id == 1
     :: id != 1 -> SAY_TO_SENDER(want, id, wants[id])
     fi;
#else
     SAY_TO_SENDER(want, id, wants[id]);
#endif
#endif
     count = count + 1
  :: else -> break
  od;
leave:
  atomic { id = 0; count = 0; receiver_threads = receiver_threads - 1 }
}

/* Decompresses and writes: lanes keep the order. */
proctype write() {
  mtype type; byte id; byte part; bool whole; byte now; byte missing; bool open = false;
  byte count = 0;
  do
  :: atomic { !receiver_failed && nempty(inbound) -> inbound?type, id, part, whole;
       if
       :: type == end -> assert(!open && count == BATCHES && id == BATCHES); break
       :: else
       fi;
       if
       :: !open ->
          /* Answered batches are in the queue before their want is sent. */
          assert(nempty(answered)); answered?now, missing; open = true
       :: else
       fi;
       assert(id == now);
       if
       :: type == block ->
          assert(missing & (1 << part));
#ifndef BUG_NO_CHECKSUM
          if
          :: !whole -> receiver_failed = true; break
          :: else
          fi;
#endif
          missing = missing & ~(1 << part);
          if
          :: whole -> arrived[id] = arrived[id] | (1 << part)
          :: else
          fi
       :: type == skipped -> missing = missing & ~(1 << part)
       :: type == done -> assert(missing == 0)
       fi };
     if
     :: type == done ->
        PUSH(filled, id(part), receiver_failed);
        open = false; count = count + 1
     :: else
     fi
  :: receiver_failed -> break
  od;
  filled_closed = true;
leave:
  atomic { type = 0; id = 0; part = 0; whole = 0; now = 0; missing = 0; open = 0; count = 0; receiver_threads = receiver_threads - 1 }
}

proctype commit_batches() {
  byte id; bool unread; byte count = 0;
  do
  :: atomic { !receiver_failed && nempty(filled) -> filled?id, unread };
#ifdef BUG_COMMIT_BEFORE_PUBLISH
     SAY_TO_SENDER(commit, id, !unread);
#endif
     atomic {
       if
       :: !unread -> assert((arrived[id] & wants[id]) == wants[id]); published[id] = true
       :: else
       fi;
       in_flight = in_flight - 1 };
#ifndef BUG_COMMIT_BEFORE_PUBLISH
     SAY_TO_SENDER(commit, id, !unread);
#endif
     count = count + 1
  :: filled_closed && empty(filled) && !receiver_failed -> break
#ifndef BUG_QUEUE_NOT_WOKEN
  :: receiver_failed -> goto leave
#endif
  od;
  SAY_TO_SENDER(end, count, 0);
  receiver_finished = true;
leave:
  atomic { id = 0; unread = 0; count = 0; receiver_threads = receiver_threads - 1 }
}

proctype receive_session() {
  atomic {
    run read_frames(); run answer_offers(); run write(); run commit_batches() };
  receiver_threads == 0;
  if
  :: receiver_failed ->
     /* tell_peer, which has a limit of time */
     if
     :: atomic { !to_sender_broken && nfull(to_sender) -> to_sender!error(0, 0) }
     :: true
     fi
  :: else -> receiver_good = !reply_lost
  fi;
  atomic { receiver_gone = true; receiver_over = true }
}

/* A thread of either side fails, or the connection is lost. */
proctype misfortune() {
  do
  :: atomic { faults > 0 && !sender_over && !receiver_over ->
       faults = faults - 1;
       if
       :: lost = true
       :: sender_failed = true
       :: receiver_failed = true
       fi }
  :: sender_over && receiver_over -> break
  od
}

#define all_published (published[0] && published[BATCHES - 1])

init {
  atomic { run send_session(); run receive_session(); run misfortune() };
  sender_over && receiver_over;
  assert(!sender_good || all_published);
  assert(!receiver_good || heard_commits <= BATCHES);
  assert(faults < FAULTS || (!sender_failed && receiver_good))
}

ltl both_end { <> (sender_over && receiver_over) }
