/* One direction of a transfer over two connections: records, what is told of them, and connections
 * that are lost at any moment with all that is on its way over them, in both directions: one, or
 * both, and then the sender makes another one, which the receiver may hear of before it knows that
 * any was lost. What the first connection carries without records is the same here: it comes in
 * order, and arrived frames tell what of it was read. README.md says what is proved; each of
 * FORGETS, TELLS_ONCE, LEAVES, STAYS_AWAY and BELIEVES_ITS_SYSTEM is a mistake that is found. */

#define RECORDS 3               /* with data; the end is one more */
#define ALL (RECORDS + 1)
#ifndef ROOM
#define ROOM 2                  /* records on their way over a connection */
#endif

chan data0 = [ROOM] of { byte };
chan data1 = [ROOM] of { byte };
chan told0 = [1] of { byte };
chan told1 = [1] of { byte };
chan data2 = [ROOM] of { byte };
chan told2 = [1] of { byte };
bool alive0 = true;
bool alive1 = true;
bool alive2 = false;             /* the one that is made when both are lost */
bool left = false;              /* the sender has closed its connections */

byte front = 0;                 /* of the receiver: so many are there without a gap */

/* Of the one that is lost nothing arrives any more. */
active proctype Fate() {
  byte gone;
  if
  :: d_step {
       alive0 = false;
       do
       :: nempty(data0) -> data0?gone
       :: nempty(told0) -> told0?gone
       :: empty(data0) && empty(told0) -> break
       od
     }
  :: d_step {
       alive1 = false;
       do
       :: nempty(data1) -> data1?gone
       :: nempty(told1) -> told1?gone
       :: empty(data1) && empty(told1) -> break
       od
     }
  :: skip
  fi;
  if
  :: d_step {
       !alive0 || !alive1;
       alive0 = false;
       alive1 = false;
       do
       :: nempty(data0) -> data0?gone
       :: nempty(told0) -> told0?gone
       :: nempty(data1) -> data1?gone
       :: nempty(told1) -> told1?gone
       :: empty(data0) && empty(told0) && empty(data1) && empty(told1) -> break
       od
     }
  :: skip
  fi
}

active proctype Sender() {
  byte next = 0;
  byte arrived = 0;
  byte told;
  byte record;
  bool over0[ALL];
  bool over1[ALL];
  bool again[ALL];
  bool noticed0 = false;
  bool noticed1 = false;
  do
#ifdef LEAVES
  :: next == ALL -> break
#endif
  :: arrived == ALL -> break
  :: atomic { alive0 && nempty(told0) -> told0?told;
    if :: told > arrived -> arrived = told :: else fi }
  :: atomic { alive1 && nempty(told1) -> told1?told;
    if :: told > arrived -> arrived = told :: else fi }
  :: atomic { nempty(told2) -> told2?told;
    if :: told > arrived -> arrived = told :: else fi }
#ifndef STAYS_AWAY
  :: atomic { noticed0 && noticed1 && !alive2 -> alive2 = true }
#endif
  /* Whichever is free takes the next. */
  :: atomic { next < ALL && alive0 && nfull(data0) -> data0!next; over0[next] = true; next++;
#ifdef BELIEVES_ITS_SYSTEM
       arrived = next
#endif
     }
  :: atomic { next < ALL && alive1 && nfull(data1) -> data1!next; over1[next] = true; next++ }
  :: atomic { next < ALL && alive2 && nfull(data2) -> data2!next; next++ }
  :: atomic { !alive0 && !noticed0 -> noticed0 = true;
#ifndef FORGETS
       for (record : 0 .. RECORDS) { again[record] = again[record] || over0[record] }
#endif
     }
  :: atomic { !alive1 && !noticed1 -> noticed1 = true;
#ifndef FORGETS
       for (record : 0 .. RECORDS) { again[record] = again[record] || over1[record] }
#endif
     }
  :: atomic { (again[0] || again[1] || again[2] || again[3]) ->
       record = 0;
       do :: again[record] -> break :: else -> record++ od;
       if
       :: record < arrived -> again[record] = false
       :: record >= arrived && alive0 && nfull(data0) ->
            data0!record; over0[record] = true; again[record] = false
       :: record >= arrived && alive1 && nfull(data1) ->
            data1!record; over1[record] = true; again[record] = false
       :: record >= arrived && alive2 && nfull(data2) -> data2!record; again[record] = false
       :: else                  /* no room now */
       fi
     }
  od;
  left = true
}

active proctype Receiver() {
  bool here[ALL];
  byte record;
  bool tells = false;
  bool noticed0 = false;
  bool noticed1 = false;
  bool joined = false;
  do
  :: atomic { alive0 && nempty(data0) -> data0?record;
       here[record] = true;
       do :: front < ALL && here[front] -> front++ :: else -> break od;
       tells = true }
  :: atomic { alive1 && nempty(data1) -> data1?record;
       here[record] = true;
       do :: front < ALL && here[front] -> front++ :: else -> break od;
       tells = true }
  :: atomic { nempty(data2) -> data2?record;
       here[record] = true;
       do :: front < ALL && here[front] -> front++ :: else -> break od;
       tells = true }
  :: atomic { alive2 && !joined -> joined = true; tells = true }
  :: atomic { tells && joined && nfull(told2) -> told2!front; tells = false }
  :: atomic { tells && !joined && alive0 && nfull(told0) -> told0!front; tells = false }
  :: atomic { tells && !joined && alive1 && nfull(told1) -> told1!front; tells = false }
#ifndef TELLS_ONCE
  /* What was told over it may not have been heard. When both are lost it may hear of the next
   * one first. */
  :: atomic { !alive0 && !noticed0 && alive1 -> noticed0 = true; tells = true }
  :: atomic { !alive1 && !noticed1 && alive0 -> noticed1 = true; tells = true }
#endif
  :: left && empty(data0) && empty(data1) && empty(data2) -> break
  od;
  assert(front == ALL)
}
