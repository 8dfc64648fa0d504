/** Whether a run is the job of a command, and what becomes of it when the command is typed again. */
export const jobs = [
  {
    name: 'goes on with a run of other ids',
    edits: [['runs/jobs/same', 'then.set === now.set ? lines', "then.set !== '' ? lines"]],
    test: 'runs/same',
    words: 'another condition or another set of ids is another job',
  },
  {
    name: 'goes on with a run on another service',
    edits: [['runs/jobs/same', "'the base URL': baseUrl,", '']],
    test: 'runs/same',
    words: 'another condition or another set of ids is another job',
  },
  {
    name: 'goes on with another job of the same name',
    edits: [
      [
        'runs/run',
        'if (job.name !== undefined) checkNamed(recorded, job)',
        'if (job.undoes !== undefined) checkNamed(recorded, job)',
      ],
    ],
    test: 'runs/once',
    words: 'another job under a used name',
  },
  {
    name: 'goes on with a run for another list',
    edits: [['runs/jobs/same', "'the list': idOf(parameters.list),", '']],
    test: 'runs/same',
    words: 'another condition or another set of ids is another job',
  },
  {
    name: 'goes on with a run of another operation',
    edits: [['runs/jobs/same', "    'the operation': operation,\n", '']],
    test: 'runs/same',
    words: 'but not with another of',
  },
  {
    name: 'goes on with a run for another assignee',
    edits: [['runs/jobs/same', "    'the new assignee': idOf(parameters.to),\n", '']],
    test: 'runs/same',
    words: 'but not with another of',
  },
  {
    name: 'begins an undo before its mark is on disk',
    edits: [
      ['runs/jobs/undo', "await file.appendSynced({ t: 'undone'", "file.append({ t: 'undone'"],
    ],
    test: 'runs/file',
    words: 'that a run was undone before the undo begins',
  },
  {
    name: 'goes on with a run on another condition',
    edits: [['runs/jobs/same', "'--if-assignee': idOf(parameters.ifAssignee),", '']],
    test: 'runs/same',
    words: 'another condition or another set of ids is another job',
  },
  {
    name: 'goes on with a run of yesterday',
    edits: [['runs/jobs/same', 'const recentFor = 8 * 60', 'const recentFor = 24 * 60']],
    test: 'runs/same',
    words: 'of more than eight hours ago is another job',
  },
  {
    name: 'never goes on with an unfinished run',
    edits: [
      [
        'runs/jobs/same',
        'deciding !== undefined && (deciding.isHeld || !isFinished(deciding.log))',
        'deciding !== undefined && deciding.isHeld',
      ],
    ],
    test: 'runs/same',
    words: 'the command goes on with it',
  },
  {
    name: 'a run that has sent nothing decides over one that has',
    edits: [
      [
        'runs/jobs/same',
        'isOpen ? deciding : current',
        'current ?? (isOpen ? deciding : undefined)',
      ],
    ],
    test: 'runs/same',
    words: 'held and has sent nothing does not decide',
  },
  {
    name: 'goes on with an unfinished run in spite of --new-run',
    edits: [
      [
        'runs/run',
        'const isAnew = job.options.newRun === true',
        'const isAnew = job.isOne && job.options.newRun === true',
      ],
    ],
    test: 'runs/same',
    words: 'begins a new one all the same',
  },
  {
    name: 'goes on with a run that has a name, without it',
    edits: [['runs/jobs/same', 'const isNamed = head.name !== null ||', 'const isNamed =']],
    test: 'runs/same',
    words: 'that has a name is not gone on with by a command without',
  },
  {
    name: 'goes on with a run without a name, under one',
    edits: [['runs/jobs/same', 'head.name !== null || name !== undefined', 'head.name !== null']],
    test: 'runs/same',
    words: 'exit 2, which names the ways',
  },
  {
    name: 'goes on with the run of another key',
    edits: [
      [
        'runs/jobs/same',
        'newKey === true || keys.has(keyFingerprint(apiKey))',
        'newKey === true || keys.size > 0',
      ],
    ],
    test: 'runs/same',
    words: 'exit 2, which names the ways',
  },
  {
    name: 'takes a run whose results were not printed for finished',
    edits: [
      [
        'runs/list',
        'sessions.isFree && recorded?.state.isSettled() === true',
        'recorded?.state.isSettled() === true',
      ],
    ],
    test: 'runs/same',
    words: 'was lost is printed again, with its code, and nothing is sent',
  },
  {
    name: 'takes a run with unknown outcomes for finished',
    edits: [
      [
        'runs/state',
        "!this.isLeft(batch) && !this.judge(batch).outcomes.includes('unknown')",
        '!this.isLeft(batch)',
      ],
    ],
    test: 'runs/same',
    words: 'but with an unknown merge is 3',
  },
  {
    name: 'begins anew beside a run that has sent nothing',
    edits: [['runs/jobs/same', 'fresh: found.findLast(isFresh)', 'fresh: undefined']],
    test: 'runs/same',
    words: 'is as good as a new one',
  },
  {
    name: 'lets a run decide that was not tried',
    edits: [
      [
        'runs/jobs/same',
        'recorded.undone === undefined && recorded.firstTryAt !== undefined',
        'recorded.undone === undefined',
      ],
      [
        'runs/jobs/same',
        '(one.recorded.firstTryAt ?? 0) -',
        '(one.recorded.firstTryAt ?? Infinity) -',
      ],
    ],
    test: 'runs/same',
    words: 'the one whose first attempt is the latest decides',
  },
  {
    name: 'lets the earliest of several runs decide',
    edits: [['runs/jobs/same', '?? tried.at(-1)', '?? tried.at(0)']],
    test: 'runs/same',
    words: 'the one whose first attempt is the latest decides',
  },
  {
    name: 'goes on with a run that was undone',
    edits: [
      [
        'runs/jobs/same',
        'recorded.undone === undefined && recorded.firstTryAt',
        'recorded.firstTryAt',
      ],
    ],
    test: 'runs/same',
    words: 'one that was undone is none',
  },
  {
    name: 'lets a later run decide although another is held',
    edits: [
      ['runs/jobs/same', 'tried.findLast(({ isHeld }) => isHeld) ?? tried.at(-1)', 'tried.at(-1)'],
    ],
    test: 'runs/same',
    words: 'one that is held decides, whichever is later: exit 11',
  },
  {
    name: 'sends a merge beside a run that is damaged',
    edits: [['runs/jobs/same', 'refuseDamaged(place, facts)', '']],
    test: 'runs/same',
    words: 'a damaged one is named in a note, and a merge is refused then',
  },
  {
    name: 'never looks again once its head is on disk',
    edits: [
      [
        'runs/run',
        'isAnew || isAloneIn(await look(file.place.path), before)',
        'isAnew || before !== undefined',
      ],
    ],
    test: 'runs/same',
    words: 'of several one sends, and the others end with 11',
  },
  {
    name: 'sends in spite of another that is the same',
    edits: [
      [
        'runs/run',
        'return !isNewer && !isHeld && unfinished === undefined',
        'return !isNewer || isHeld',
      ],
    ],
    test: 'runs/same',
    words: 'of several one sends, and the others end with 11',
  },
  {
    name: 'leaves its file when it makes room',
    edits: [['runs/run', 'await file.remove()\n    await file.close()', 'await file.close()']],
    test: 'runs/same',
    words: 'of several one sends, and the others end with 11',
  },
  {
    name: 'goes on with a run of which an undo has begun',
    edits: [['runs/run', 'if (undone !== undefined) {', "if (undone === '') {"]],
    test: 'runs/undo',
    words: 'which `runs resume` and the same command name',
  },
  {
    name: 'takes the undo of another run for its own',
    edits: [
      [
        'runs/jobs/same',
        'job.undoes !== undefined && head.undoes?.startedAt !== job.undoes.startedAt',
        'job.undoes !== undefined && head.undoes === undefined',
      ],
    ],
    test: 'runs/undo',
    words: 'another run of that name has another undo: exit 2',
  },
  {
    name: 'repeats for ever what always ends alike',
    edits: [['runs/state', '(this.of(batch).failing?.sessions ?? 0) >= 3', 'batch < 0']],
    test: 'runs/fold',
    words: 'try; 500; session; try; 500; session; try; 500; stops',
  },
  {
    name: 'claims a run that is finished',
    edits: [['runs/run', '!isFinished(log) || reopen !== undefined || isToWrite', 'true']],
    test: 'runs/once',
    words: 'only reads a run that is finished',
  },
]
