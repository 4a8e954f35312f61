/* Transfers that are cut off and gone on with: a sender that connects again and is started again,
 * a receiver that serves several connections and is started again, and what is on its disk.
 * README.md says what it proves and what it leaves out.
 *
 * MISFORTUNES times, at any step: a connection is lost, the sender or the receiver is killed, the
 * receiver's machine loses its power, a block arrives damaged, the source changes between two runs.
 */

#ifndef BATCHES
#define BATCHES 2
#endif
#ifndef MISFORTUNES
#define MISFORTUNES 2
#endif
#ifndef SOURCE_CHANGES
#define SOURCE_CHANGES 0
#endif
#define BLOCKS 2 /* of the one file of a batch */
#define ALL 3    /* a bit for each */
#define CONNECTIONS (MISFORTUNES + 1)
#define AT(batch, block) ((batch) * BLOCKS + (block))

mtype = { offer, want, block, done, commit };

chan to_receiver[CONNECTIONS] = [1] of { mtype, byte, byte, byte }; /* batch, block, version; 0: damaged */
chan to_sender[CONNECTIONS] = [1] of { mtype, byte, byte };         /* batch, wanted */
bool lost[CONNECTIONS];
bool sender_left[CONNECTIONS];
bool receiver_left[CONNECTIONS];
bool accepted[CONNECTIONS];
byte connections = 0;

byte misfortunes = MISFORTUNES;
byte source_changes = SOURCE_CHANGES;
byte source = 1; /* the version that the sender has */
byte generation = 0; /* of the receiver: sessions of an earlier one are dead */
bool sender_over = false;
byte sessions = 0;

/* ---- the receiver's disk: of each block the version whose bytes it holds, 0 for none --------- */

byte partial[BATCHES * BLOCKS];  /* .adoc-<name>.partial */
byte journal[BATCHES * BLOCKS];  /* what its journal claims */
byte partial_source[BATCHES];    /* the version that the journal is about; 0: no partial file */
byte lock[BATCHES];              /* the session that is at work on it, counted from 1 */
bool flushed[BATCHES];           /* of the partial file: contents survive a loss of power */
byte final[BATCHES * BLOCKS];    /* under its own name */
bool final_flushed[BATCHES];     /* its contents survive a loss of power */
byte named[BATCHES * BLOCKS];    /* what has its name after a loss of power */

bool told[BATCHES]; /* the sender knows that it is committed; forgotten when it is killed */
bool ever_told[BATCHES];

#define is_whole(b) (final[AT(b, 0)] != 0 && final[AT(b, 0)] == final[AT(b, 1)])
#define is_there(b) (final[AT(b, 0)] != 0 || final[AT(b, 1)] != 0)

/* ---- the sender ----------------------------------------------------------------------------- */

#define cannot_hear(c) (lost[c] || (receiver_left[c] && empty(to_sender[c])))
#define can_say(c) (!lost[c] && !receiver_left[c] && nfull(to_receiver[c]))

proctype sender() {
  byte c; byte b; byte next; byte mask; byte first;
  byte answered[BATCHES]; /* wanted blocks, with 4 once the want came, 8 once all is sent */
  byte offered;           /* batches up to here */
start_again:
  atomic {
    b = 0;
    do :: b < BATCHES -> told[b] = false; b = b + 1 :: else -> break od
  };
connect_again:
  atomic {
    c = connections; connections = connections + 1;
    b = 0; first = 0;
    do
    :: b < BATCHES ->
       answered[b] = 0;
       if :: told[b] -> first = first + 1 :: else fi; b = b + 1
    :: else -> break
    od;
    offered = first; next = first; b = 0
  };
  accepted[c];
  /* next: the batch whose blocks are sent now; first: the one whose commit is heard next.
   * What was told on another connection is not offered again. */
  do
  :: atomic { can_say(c) && offered < BATCHES ->
       /* offer_batches */
       to_receiver[c]!offer(offered, 0, source); offered = offered + 1 }
  :: atomic { nempty(to_sender[c]) && !lost[c] ->
       if
       :: to_sender[c]?want(b, mask) ->
          /* hear_want */
          assert(answered[b] == 0 && b < offered);
          answered[b] = mask | 4
       :: to_sender[c]?commit(b, mask) ->
          /* hear_commit */
          assert(b == first && (answered[b] & 8));
          assert(is_whole(b));
          assert(SOURCE_CHANGES > 0 || final[AT(b, 0)] == source);
          told[b] = true; ever_told[b] = true; first = first + 1
       fi; b = 0; mask = 0 }
  :: atomic { can_say(c) && next < BATCHES && (answered[next] & 4) ->
       /* compress, communicate */
       if
       :: answered[next] & 1 ->
          answered[next] = answered[next] & ~1;
          if
          :: to_receiver[c]!block(next, 0, source)
          :: misfortunes > 0 -> misfortunes = misfortunes - 1; to_receiver[c]!block(next, 0, 0)
          fi
       :: !(answered[next] & 1) && (answered[next] & 2) ->
          answered[next] = answered[next] & ~2;
          to_receiver[c]!block(next, 1, source)
       :: else ->
          to_receiver[c]!done(next, 0, source);
          answered[next] = 8; next = next + 1
       fi }
  :: first == BATCHES -> break
  :: cannot_hear(c) -> sender_left[c] = true; goto connect_again
  :: atomic { misfortunes > 0 && first < BATCHES ->
       /* killed, and started again by whoever looks after it */
       misfortunes = misfortunes - 1; sender_left[c] = true;
       if
       :: source_changes > 0 -> source_changes = source_changes - 1; source = source + 1
       :: true
       fi; goto start_again }
  od;
  sender_left[c] = true;
  /* It ends with 0. */
  b = 0;
  do
  :: b < BATCHES ->
     assert(is_whole(b) && (SOURCE_CHANGES > 0 || final[AT(b, 0)] == source)); b = b + 1
  :: else -> break
  od;
  sender_over = true
}

/* ---- the receiver --------------------------------------------------------------------------- */

#define is_dead (generation != born)
#define reads_end(c) (lost[c] || (sender_left[c] && empty(to_receiver[c])))

/* A temporary file of this session alone, where the partial file is another's. */
#define own(b, k) own_blocks[AT(b, k)]

proctype receive_session(byte c; byte born) {
  byte b; byte k; byte version;
  byte missing[BATCHES];
  byte source_of[BATCHES];     /* the version that was offered; 0: not offered */
  bool in_partial[BATCHES];    /* where the data goes */
  bool have[BATCHES];          /* it is there already */
  byte own_blocks[BATCHES * BLOCKS];

next_frame: /* read_frames */
  if
  :: is_dead -> goto dead
  :: atomic { !is_dead && nempty(to_receiver[c]) && !lost[c] ->
       if
       :: to_receiver[c]?offer(b, k, version) -> goto answer
       :: to_receiver[c]?block(b, k, version) -> goto write
       :: to_receiver[c]?done(b, k, version) -> goto commit_batch
       fi }
  :: reads_end(c) && !is_dead -> goto leave
  fi;

answer: /* answer_offers: what is there, what of it can be gone on with */
  atomic {
    if
    :: is_dead -> goto dead
    :: else
    fi;
    source_of[b] = version;
    missing[b] = ALL;
    if
    :: is_whole(b) && final[AT(b, 0)] == version -> have[b] = true; missing[b] = 0
    :: else ->
       if
       :: lock[b] == 0 && partial_source[b] != 0 ->
          lock[b] = c + 1; in_partial[b] = true;
#ifndef BUG_PARTIAL_OF_ANOTHER_SOURCE
          if
          :: partial_source[b] != version ->
             partial[AT(b, 0)] = 0; partial[AT(b, 1)] = 0;
             journal[AT(b, 0)] = 0; journal[AT(b, 1)] = 0
          :: else
          fi;
#endif
          partial_source[b] = version;
          /* verify_partial: what is claimed is read before it is believed */
          k = 0;
          do
          :: k < BLOCKS ->
             if
#ifdef BUG_JOURNAL_BELIEVED
             :: journal[AT(b, k)] != 0 ->
#else
             :: journal[AT(b, k)] != 0 && journal[AT(b, k)] == partial[AT(b, k)] ->
#endif
                missing[b] = missing[b] & ~(1 << k)
             :: else -> journal[AT(b, k)] = 0
             fi; k = k + 1
          :: else -> break
          od
       :: lock[b] == 0 && partial_source[b] == 0 ->
          lock[b] = c + 1; in_partial[b] = true; partial_source[b] = version; flushed[b] = false
#ifdef BUG_NO_LOCK
       :: lock[b] != 0 -> in_partial[b] = true
#else
       :: lock[b] != 0 -> in_partial[b] = false
#endif
       fi
    fi; k = 0
  };
  if
  :: atomic { !is_dead && !lost[c] && !sender_left[c] && nfull(to_sender[c]) ->
#ifdef BUG_WANT_LEAVES_OUT
       to_sender[c]!want(b, missing[b] & 1)
#else
       to_sender[c]!want(b, missing[b])
#endif
     }
  :: lost[c] || sender_left[c] -> goto leave
  :: is_dead -> goto dead
  fi;
  goto next_frame;

write: /* the write stage: checksum, data, then its record in the journal */
  if
  :: is_dead -> goto dead
  :: atomic { !is_dead && version == 0 ->
#ifdef BUG_NO_CHECKSUM
       version = 9
#else
       goto leave /* corrupt: the transfer ends */
#endif
     }
  :: !is_dead && version != 0
  fi;
  assert(missing[b] & (1 << k));
  if
  :: atomic { !is_dead && in_partial[b] -> partial[AT(b, k)] = version; flushed[b] = false }
  :: atomic { !is_dead && !in_partial[b] -> own(b, k) = version }
  :: is_dead -> goto dead
  fi;
  missing[b] = missing[b] & ~(1 << k);
  if
  :: atomic { !is_dead && in_partial[b] -> journal[AT(b, k)] = version }
  :: true /* not yet flushed when the process ends */
  :: is_dead -> goto dead
  fi;
  goto next_frame;

commit_batch: /* commit_batches: flush, publish, flush the directory, and only then tell */
#ifndef BUG_COMMIT_OF_WHAT_IS_MISSING
  assert(missing[b] == 0);
#endif
  if
  :: is_dead -> goto dead
  :: !is_dead && have[b]
  :: !is_dead && !have[b] ->
#ifndef BUG_PUBLISH_BEFORE_FLUSH
     if
     :: atomic { !is_dead -> if :: in_partial[b] -> flushed[b] = true :: else fi }
     :: is_dead -> goto dead
     fi;
#endif
     if
     :: atomic { !is_dead && in_partial[b] ->
          final[AT(b, 0)] = partial[AT(b, 0)]; final[AT(b, 1)] = partial[AT(b, 1)];
          partial[AT(b, 0)] = 0; partial[AT(b, 1)] = 0;
          final_flushed[b] = flushed[b];
          assert(is_whole(b) && final[AT(b, 0)] == source_of[b]) }
     :: atomic { !is_dead && !in_partial[b] ->
          final[AT(b, 0)] = own(b, 0); final[AT(b, 1)] = own(b, 1);
          final_flushed[b] = true;
          assert(is_whole(b) && final[AT(b, 0)] == source_of[b]) }
     :: is_dead -> goto dead
     fi;
     if
     :: atomic { !is_dead && in_partial[b] ->
          journal[AT(b, 0)] = 0; journal[AT(b, 1)] = 0; partial_source[b] = 0; lock[b] = 0;
          in_partial[b] = false }
     :: !is_dead && !in_partial[b]
     :: is_dead -> goto dead
     fi
  fi;
#ifndef BUG_TOLD_BEFORE_DIRECTORY_FLUSH
  if
  :: atomic { !is_dead ->
       named[AT(b, 0)] = final[AT(b, 0)]; named[AT(b, 1)] = final[AT(b, 1)] }
  :: is_dead -> goto dead
  fi;
#endif
  if
  :: atomic { !is_dead && !lost[c] && !sender_left[c] && nfull(to_sender[c]) ->
       to_sender[c]!commit(b, 0) }
  :: lost[c] || sender_left[c] -> goto leave
  :: is_dead -> goto dead
  fi;
  goto next_frame;

leave:
  /* What it has stays for a later transfer. */
  atomic {
    b = 0;
    do
    :: b < BATCHES ->
       if :: lock[b] == c + 1 && generation == born -> lock[b] = 0 :: else fi; b = b + 1
    :: else -> break
    od
  };
dead:
  atomic {
    receiver_left[c] = true; sessions = sessions - 1;
    b = 0; k = 0; version = 0;
    do
    :: b < BATCHES ->
       missing[b] = 0; source_of[b] = 0; in_partial[b] = false; have[b] = false;
       own(b, 0) = 0; own(b, 1) = 0; b = b + 1
    :: else -> break
    od;
    b = 0
  }
}

inline lose_power() {
  b = 0;
  do
  :: b < BATCHES ->
     k = AT(b, 0);
     do
     :: k < AT(b, BLOCKS) ->
        if
        :: partial[k] != 0 && !flushed[b] -> partial[k] = 0
        :: true
        fi;
        if
        :: journal[k] != 0 -> journal[k] = 0
        :: true
        fi;
        if
        :: final[k] != 0 && !final_flushed[b] -> final[k] = 0; named[k] = 0
        :: true
        fi; k = k + 1
     :: else -> break
     od;
     if
     :: final[AT(b, 0)] = named[AT(b, 0)]; final[AT(b, 1)] = named[AT(b, 1)]
     :: named[AT(b, 0)] = final[AT(b, 0)]; named[AT(b, 1)] = final[AT(b, 1)]
     fi; b = b + 1
  :: else -> break
  od
}

proctype receiver() {
  byte next; byte b; byte k;
  do
  :: atomic { next < connections -> sessions = sessions + 1; accepted[next] = true;
       run receive_session(next, generation); next = next + 1 }
  :: atomic { misfortunes > 0 && !sender_over && next > 0 ->
       /* killed, and started again */
       misfortunes = misfortunes - 1; generation = generation + 1;
       if
       :: lose_power()
       :: true
       fi;
       b = 0;
       do
       :: b < BATCHES ->
          lock[b] = 0;
          assert(!ever_told[b] || is_whole(b));
          assert(!is_there(b) || is_whole(b)); b = b + 1
       :: else -> break
       od;
       b = 0;
       do :: b < next -> receiver_left[b] = true; b = b + 1 :: else -> break od;
       b = 0; k = 0 }
  :: sender_over && sessions == 0 && next == connections -> break
  od
}

proctype link() {
  do
  :: atomic { misfortunes > 0 && connections > 0 && !sender_over ->
       misfortunes = misfortunes - 1;
       if
       :: lost[connections - 1] = true
       :: connections > 1 -> lost[connections - 2] = true
       fi }
  :: sender_over -> break
  od
}

init {
  atomic { run sender(); run receiver(); run link() };
  sender_over && sessions == 0;
  assert(is_whole(0) && is_whole(BATCHES - 1))
}

ltl sender_ends { <> sender_over }
