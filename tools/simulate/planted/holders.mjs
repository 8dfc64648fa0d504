/** Who works on a run: taking it, holding it, and what is on disk by when. */
export const holders = [
  {
    name: 'makes the file of a run where there is one',
    edits: [
      [
        'runs/file',
        'O_RDWR | O_APPEND | O_NOFOLLOW | O_CREAT | O_EXCL',
        'O_RDWR | O_APPEND | O_NOFOLLOW | O_CREAT',
      ],
    ],
    test: 'runs/file',
    words: 'is made exclusively, for this user alone',
  },
  {
    name: 'holds a process of another machine to be gone',
    edits: [
      [
        'runs/place',
        'const isSame = place !== null && place === here.place && session.host === here.host',
        'const isSame = place !== null',
      ],
    ],
    test: 'runs/take',
    words: 'another machine or namespace',
  },
  {
    name: 'compares what the system does not tell',
    edits: [
      ['runs/place', 'place: parts.includes(null) ? null : parts.join', 'place: parts.join'],
      [
        'runs/place',
        'if (!isSame || boot === null || here.boot === null || session.host',
        'if (!isSame || session.host',
      ],
    ],
    test: 'runs/take',
    words: 'a fact that the system does not tell this process equals nothing',
  },
  {
    name: 'holds a process of another boot to be gone whose file was touched since',
    edits: [
      [
        'runs/place',
        "return touchedAt < bootedAt ? 'dead' : 'restarted'",
        "return touchedAt < bootedAt ? 'restarted' : 'dead'",
      ],
    ],
    test: 'runs/take',
    words: 'another boot, and touched since',
  },
  {
    name: 'takes another boot for this one',
    edits: [['runs/place', 'if (boot !== here.boot) {', "if (boot === '') {"]],
    test: 'runs/take',
    words: 'another boot, and touched since',
  },
  {
    name: 'takes any process of a number for the one that began the session',
    edits: [
      ['runs/place', "start === undefined || isOther ? 'dead'", "start === undefined ? 'dead'"],
    ],
    test: 'runs/take',
    words: 'another process has its number: it began at another time',
  },
  {
    name: 'takes a zombie for a process',
    edits: [['runs/place', "return state === 'Z' || state === 'X' ?", "return state === 'X' ?"]],
    test: 'runs/take',
    words: 'a zombie is no process',
  },
  {
    name: 'takes a run from a process that may be alive',
    edits: [
      [
        'runs/take',
        "if (life === 'unknown' && !takeOver) {",
        "if (life === 'dead' && !takeOver) {",
      ],
    ],
    test: 'runs/take',
    words: 'exit 11, and nothing is written',
  },
  {
    name: 'takes a run over without a look',
    edits: [['runs/take', 'const watchFor = 60_000', 'const watchFor = 0']],
    test: 'runs/take',
    words: 'a minute without a sign of life, and all is unsure',
  },
  {
    name: 'sees no line of a holder that it watches',
    edits: [
      ['runs/take', 'now.size === before.size && now.ino === before.ino', 'now.ino === before.ino'],
    ],
    test: 'runs/take',
    words: 'within the minute: exit 11',
  },
  {
    name: 'sees no touch of a holder that it watches',
    edits: [['runs/take', 'const shortestTouch = 2_000', 'const shortestTouch = 2_000_000']],
    test: 'runs/take',
    words: 'within the minute: exit 11',
  },
  {
    name: 'forgets that a holder may be alive',
    edits: [
      [
        'runs/take',
        'await watch(tools, file, holder)\n  return true',
        'await watch(tools, file, holder)\n  return false',
      ],
    ],
    test: 'runs/take',
    words: 'a minute without a sign of life, and all is unsure',
  },
  {
    name: 'takes a session that lost its first line for one that is gone',
    edits: [
      [
        'runs/take',
        'if (session === undefined) return true',
        'if (session === undefined) return false',
      ],
    ],
    test: 'runs/take',
    words: 'is unsure where the first line of the last session was lost',
  },
  {
    name: 'works on a run that another was faster to claim',
    edits: [['runs/file', 'if (!this.log.sessions.isLast(this.session)) return false', '']],
    test: 'runs/take',
    words: 'the slower one starts over, and finds a holder',
  },
  {
    name: 'works on a file that no name leads to any more',
    edits: [
      [
        'runs/file',
        'if (disk.fstatSync(file).ino !== this.#inode) return undefined',
        'if (disk.fstatSync(file).ino < 0) return undefined',
      ],
    ],
    test: 'runs/file',
    words: 'its name leads to a copy',
  },
  {
    name: 'takes a run that was removed meanwhile',
    edits: [
      ['runs/file', "['ENOENT', 'ENOTDIR', 'ELOOP', 'ESTALE']", "['ENOTDIR', 'ELOOP', 'ESTALE']"],
    ],
    test: 'runs/take',
    words: 'a run that was removed meanwhile is none',
  },
  {
    name: 'goes on with a run that was pruned',
    edits: [
      [
        'runs/take',
        'if (!log.isPruned) return { file, isHeld }',
        'if (isHeld) return { file, isHeld }',
      ],
    ],
    test: 'runs/take',
    words: 'a run that was pruned is removed by whoever takes it, and begins anew',
  },
  {
    name: 'works with a claim that the disk has lost',
    edits: [
      [
        'runs/file',
        'if (own < 0) throw this.#fail(new Error(',
        'if (own < -1) throw this.#fail(new Error(',
      ],
    ],
    test: 'runs/file',
    words: 'a claim that the disk has lost is exit 10',
  },
  {
    name: 'passes over what the session before wrote while this one claimed',
    edits: [['runs/file', 'of found.slice(0, own + 1)', 'of found.slice(own, own + 1)']],
    test: 'runs/file',
    words: 'lines of the session before that came while this one claimed count',
  },
  {
    name: 'leaves the drafts of a process that was killed',
    edits: [['runs/run', 'await removeDrafts(tools.host, recorded.drafts, file)', '']],
    test: 'runs/resume',
    words: 'names drafts of a process that was killed',
  },
  {
    name: 'never looks whether it still holds the run',
    edits: [
      [
        'runs/file',
        'if (this.#host.disk.fstatSync(file).size === this.#reader.length) return true',
        'if (this.#host.disk.fstatSync(file).size >= 0) return true',
      ],
    ],
    test: 'runs/file',
    words: 'a session over it',
  },
  {
    name: 'never looks whether it still holds the run before it writes',
    edits: [
      [
        'runs/file',
        'this.check()\n    const written = this.#write(lines)',
        'const written = this.#write(lines)',
      ],
    ],
    test: 'runs/file',
    words: 'its name leads to a copy',
  },
  {
    name: 'never looks whether it still holds the run when its attempt is on disk',
    edits: [['runs/file', 'await this.sync()\n    this.check()', 'await this.sync()']],
    test: 'runs/crash',
    words: 'when its `try` is synced sends nothing',
  },
  {
    name: 'takes the line of an unknown session for a late one',
    edits: [
      [
        'runs/file',
        'return sessions.known.has(line.s)',
        "return sessions.known.has(line.s) || line.t === 'try'",
      ],
    ],
    test: 'runs/file',
    words: 'a line of a session that nobody knows',
  },
  {
    name: 'gives a run up for a claim that is not valid',
    edits: [['runs/file', 'if (isTooLate) sessions.known.add(line.s)', '']],
    test: 'runs/file',
    words: 'a session over the beginning of the file, which is not valid',
  },
  {
    name: 'reads half a claim and never the rest',
    edits: [['runs/reading', 'this.#readTo += isTaken ? length : end', 'this.#readTo += length']],
    test: 'runs/file',
    words: 'a claim that comes in two pieces is seen once its line is whole',
  },
  {
    name: 'gives no sign of life',
    edits: [['runs/file', 'host.disk.utimesSync(this.place.path, time / 1000, time / 1000)', '']],
    test: 'runs/file',
    words: 'is the time of the file, set every ten seconds',
  },
  {
    name: 'gives a sign of life of a run that it lost',
    edits: [['runs/file', 'this.check()\n        host.disk.utimesSync', 'host.disk.utimesSync']],
    test: 'runs/file',
    words: 'is the time of the file, set every ten seconds',
  },
  {
    name: 'goes on after a short write',
    edits: [['runs/file', 'if (written < bytes.length) throw', 'if (written < 0) throw']],
    test: 'runs/file',
    words: 'is exit 10, for good',
  },
  {
    name: 'never syncs a run file',
    edits: [['runs/file', 'await this.#file.datasync()', 'await Promise.resolve()']],
    steps: 'contacts.delete,contacts.merge,power,resume,repeat,weather',
  },
  {
    name: 'never syncs its claim',
    edits: [['runs/file', 'await this.#syncNow()', 'await Promise.resolve()']],
    test: 'runs/file',
    words: 'four syncs and no rename',
  },
  {
    name: 'claims a file without a head that may not be on disk',
    edits: [['runs/take', 'if (isOld && log.recorded === undefined) await file.sync()', '']],
    test: 'runs/file',
    words: 'so many syncs until it is claimed',
  },
  {
    name: 'sends before the name of its file is on disk',
    edits: [['runs/send', 'await sending.file.syncFolder()', '']],
    test: 'runs/once',
    words: 'goes on only once the name of its file is on disk',
  },
  {
    name: 'never syncs a folder',
    edits: [['output/whole', 'await folder.sync()', 'await Promise.resolve()']],
    steps: 'contacts.delete,contacts.merge,power,resume,repeat',
  },
  {
    name: 'never syncs receipts',
    edits: [['output/whole', 'await this.#file.sync()', 'await Promise.resolve()']],
    test: 'output/whole',
    words: 'on disk before it comes to its place',
  },
  {
    name: 'ends before its end is on disk',
    edits: [['runs/conclude', 'await attempt(() => file.appendSynced(line))', 'file.append(line)']],
    test: 'runs/file',
    words: 'four syncs and no rename',
  },
  {
    name: 'believes the end of a session that has not freed its run',
    edits: [
      ['runs/reading', "const isOfOne = free?.t === 'free' && end?.t", 'const isOfOne = end?.t'],
    ],
    test: 'runs/reading',
    words: 'a line of the session that freed nothing',
  },
  {
    name: 'moves a file of its user when it lost the run',
    edits: [['runs/files/files', 'run?.check()\n      const isKnown', 'const isKnown']],
    test: 'runs/crash',
    words: 'leaves the file of its user alone',
  },
  {
    name: 'lets requests in flight go on when it lost the run',
    edits: [['runs/file', 'this.#loss.abort(failure)', '']],
    test: 'runs/crash',
    words: 'cuts off its requests in flight',
  },
  {
    name: 'writes a draft before its line is on disk',
    edits: [['runs/files/files', 'await run?.appendSynced({ t', 'run?.append({ t']],
    test: 'runs/file',
    words: 'a `file` line before its draft',
  },
  {
    name: 'never syncs the later lines of a head',
    edits: [
      ['runs/run', 'await file.sync()\n    await file.syncFolder()', 'await file.syncFolder()'],
    ],
    test: 'runs/file',
    words: 'each line of a long head before the name of its file',
  },
  {
    name: 'believes an end although lines behind it are missing',
    edits: [['runs/reading', 'isOfOne && free.i === end.i + 1', 'isOfOne']],
    test: 'runs/reading',
    words: 'a gap between the two',
  },
  {
    name: 'frees a run whose results were not printed',
    edits: [['runs/run', 'if (isPrinted || code', 'if (!isPrinted || code']],
    test: 'runs/crash',
    words: 'a run whose results could not be printed is not free',
  },
  {
    name: 'frees a run whose results are still to be printed when its command fails',
    edits: [
      [
        'runs/run',
        'if (sessions.wasFree || recorded?.state.isSettled() !== true) file.free()',
        'file.free()',
      ],
    ],
    test: 'runs/same',
    words: 'stays to be printed when a command fails before that',
  },
  {
    name: 'removes the file of a run without a word',
    edits: [['runs/file', "this.append({ t: 'pruned' })", '']],
    test: 'runs/file',
    words: 'a file that is removed says so in its last line',
  },
]
