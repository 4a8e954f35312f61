/* One direction of a transfer over two connections: records, what is told of them, and a connection
 * that is lost at any moment with all that is on its way over it, in both directions. README.md
 * says what is proved; each of FORGETS, TELLS_ONCE and LEAVES is a mistake that is found. */

#define RECORDS 3               /* with data; the end is one more */
#define ALL (RECORDS + 1)
#ifndef ROOM
#define ROOM 2                  /* records on their way over a connection */
#endif

chan data0 = [ROOM] of { byte };
chan data1 = [ROOM] of { byte };
chan told0 = [1] of { byte };
chan told1 = [1] of { byte };
bool alive0 = true;
bool alive1 = true;
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
  /* Whichever is free takes the next. */
  :: atomic { next < ALL && alive0 && nfull(data0) -> data0!next; over0[next] = true; next++ }
  :: atomic { next < ALL && alive1 && nfull(data1) -> data1!next; over1[next] = true; next++ }
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
  do
  :: atomic { alive0 && nempty(data0) -> data0?record;
       here[record] = true;
       do :: front < ALL && here[front] -> front++ :: else -> break od;
       tells = true }
  :: atomic { alive1 && nempty(data1) -> data1?record;
       here[record] = true;
       do :: front < ALL && here[front] -> front++ :: else -> break od;
       tells = true }
  :: atomic { tells && alive0 && nfull(told0) -> told0!front; tells = false }
  :: atomic { tells && alive1 && nfull(told1) -> told1!front; tells = false }
#ifndef TELLS_ONCE
  /* What was told over it may not have been heard. */
  :: atomic { !alive0 && !noticed0 -> noticed0 = true; tells = true }
  :: atomic { !alive1 && !noticed1 -> noticed1 = true; tells = true }
#endif
  :: left && empty(data0) && empty(data1) -> break
  od;
  assert(front == ALL)
}
