/** Locks, names, files and what is on disk. */
export const records = [
  {
    name: 'never syncs the journal',
    edits: [['bulk/record/journal', 'await this.#file.datasync()', 'await Promise.resolve()']],
    steps: 'contacts.delete,contacts.merge,power,resume,repeat,weather',
  },
  {
    name: 'never syncs a folder',
    edits: [['disk/whole', 'await folder.sync()', 'await Promise.resolve()']],
    steps: 'contacts.delete,contacts.merge,power,resume,repeat',
  },
  {
    name: 'never syncs receipts',
    edits: [['disk/whole', 'await this.#file.sync()', 'await Promise.resolve()']],
    steps: 'contacts.delete,lists.add-contacts,power,resume,repeat',
  },
  {
    name: 'shows what became of a merge before it is on disk',
    edits: [['bulk/sending/scheduler', 'if (tells && this.#isSingle) await journal.sync()', '']],
    steps: 'contacts.merge,power,resume',
  },
  {
    name: 'answers for a name from its record while its run is there',
    edits: [
      [
        'bulk/runs/names',
        'if (pruned === undefined || isRecorded(this.#host, this.#stateDir, record.run)) return record',
        'if (pruned === undefined) return record',
      ],
      [
        'bulk/sessions/from-job',
        '!store.isRecorded(name.run)',
        'name.pruned !== undefined || !store.isRecorded(name.run)',
      ],
    ],
    steps: 'halfPrune',
  },
  {
    name: 'frees the name of every run that is pruned',
    edits: [
      [
        'bulk/sessions/prune',
        'const isFreed = names === true &&',
        'const isFreed = names !== false &&',
      ],
    ],
    steps: 'contacts.delete,lists.add-contacts,prune,repeat',
  },
  {
    name: 'removes the drafts of a run before it has the lock',
    edits: [
      [
        'bulk/sessions/from-record',
        '  await locks.takeRun(store, id)\n  const recorded',
        '  await store.removeDrafts(await store.read(id))\n  await locks.takeRun(store, id)\n  const recorded',
      ],
    ],
    steps: 'crowd,weather',
  },
  {
    name: 'holds a process of another machine to be gone',
    edits: [['disk/lock-file', 'if (!isSamePlace(mark.identity, here.identity)) return false', '']],
    steps: 'contacts.delete,lists.add-contacts,together,resume,weather',
  },
  {
    name: 'takes a lock over without a look',
    edits: [['disk/take', 'const looks = 30', 'const looks = 0']],
    steps: 'crowd,weather',
  },
  {
    name: 'goes on with a run whose name is on no disk',
    edits: [['bulk/sessions/from-record', '  await store.makeLast(recorded.run)\n', '']],
    test: 'bulk/once',
    words: 'goes on only once its run and its name are on disk',
  },
  {
    name: 'begins a run without the lock of its name',
    edits: [
      [
        'bulk/sessions/from-job',
        '  await locks.takeName(store, once)\n  const name',
        '  const name',
      ],
    ],
    steps: 'contacts.delete,lists.add-contacts,repeat,together',
  },
  {
    name: 'removes the folder of a run that has begun',
    edits: [['bulk/sessions/from-job', '    isBegun = true\n', '']],
  },
  {
    name: 'takes a damaged journal for a whole one',
    edits: [
      [
        'bulk/record/replay',
        "if (line.toString('latin1', cut) !== ",
        "if (line.length === 0 && line.toString('latin1', cut) !== ",
      ],
    ],
    steps: 'contacts.delete,lists.add-contacts,rot,resume,repeat,weather',
  },
  {
    name: 'reads no try behind a line feed that went bad',
    edits: [['bulk/record/replay', '      this.#checkJoined(line)\n', '']],
    test: 'bulk/replay',
    words: 'a try that a changed line feed has joined',
  },
]
