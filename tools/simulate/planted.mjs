/** Mistakes about runs: a name, and for each edit the file, the text that it replaces, and the text of the mistake. */
const all = [
  // Syncs
  [
    'the head is not synced',
    'record',
    [
      'part.syncNow() syncFolder(this.#host, this.folder) } #rowsFrom',
      'syncFolder(this.#host, this.folder) } #rowsFrom',
    ],
  ],
  [
    'the hidden folder is not synced',
    'record',
    ['syncFolder(this.#host, this.folder) } #rowsFrom', '} #rowsFrom'],
  ],
  ['the name of a run is not synced', 'record', ['syncFolder(this.#host, runs)', '']],
  [
    'who goes on does not sync the name of the run',
    'record',
    ['syncFolder(this.#host, dirname(this.folder))', ''],
  ],
  [
    'the part before is not synced',
    'record',
    ['for (const path of this.#pathsTo(this.#part)) syncPath(this.#host, path)', ''],
  ],
  [
    'the part before is not synced once more',
    'own-part',
    ['for (const path of this.syncsFirst) syncPath(this.#host, path)', ''],
  ],
  [
    'the folder of a new part is not synced',
    'record',
    [
      'syncFolder(this.#host, this.folder) syncFolder(this.#host, dirname',
      'syncFolder(this.#host, dirname',
    ],
  ],
  [
    'an attempt is not synced',
    'record',
    ['this.append(line) await this.sync()', 'this.append(line)'],
  ],
  [
    'the end is not synced',
    'run',
    [
      'record.writeEnd({ stop, ...(isWritten && { receipts: receipts.path }) }) await record.sync()',
      'record.writeEnd({ stop, ...(isWritten && { receipts: receipts.path }) })',
    ],
  ],
  [
    'a close is not synced',
    'record',
    ['this.writeEnd({ closed: true }) await this.sync()', 'this.writeEnd({ closed: true })'],
  ],
  [
    'a disk that takes nothing is not noticed',
    'own-part',
    ['checkWritable(this.#host, dirname(this.#path))', ''],
  ],
  // Looks
  [
    'no look at hidden folders',
    'run',
    ['await takeRivalsAway(runs, { operation, items, run }, profile, folder)', ''],
  ],
  [
    'no look at runs once the head is written',
    'run',
    ['await refuseOpenIds(runs, await runs.list(), { operation, items, run }, profile)', ''],
  ],
  [
    'no look at runs at all',
    'open-ids',
    [
      'const [damaged] = unreadable',
      'const [damaged] = unreadable\nif (job.items.size >= 0) return',
    ],
  ],
  [
    'another run in the place of the one that was read is no matter',
    'record',
    ['if (isOther()) throw busyError(run)', ''],
    'record',
    ['if (part.isInPlace()) removeHidden(this.#host, this.#path(own)) throw busyError(run)', ''],
    'record',
    ['again === undefined || again.#headChecksum !== head', 'again === undefined || head === 0'],
  ],
  [
    'another run in the place of the one to remove is removed',
    'find',
    ['if (isMeant?.(this.#headIn(away)) === false)', 'if (isMeant === null)'],
  ],
  [
    'a lost merge is not open',
    'state',
    ['return this.isDue(index) || mayBeMerged', 'return this.isDue(index)'],
    'open-ids',
    ['return due > 0 || lostMerges(head, counts) > 0', 'return due > 0'],
  ],
  // Checks
  [
    'no check between an attempt and its request',
    'record',
    [
      'await this.sync() this.check() } append(line: NewLine)',
      'await this.sync() } append(line: NewLine)',
    ],
  ],
  [
    'a next part is no matter',
    'record',
    ['if (this.#statOf(this.#part + 1) !== undefined) throw this.#fail(busyError(this.run))', ''],
  ],
  [
    'a record that is gone is no matter',
    'record',
    ['if (this.isGone) throw this.#fail(recordGoneError(this.run))', ''],
  ],
  [
    'a result is printed without a check',
    'run',
    ['await record.sync() record.check() const receipts', 'await record.sync()\nconst receipts'],
    'run',
    ['await record.sync() record.check() if (isWritten)', 'await record.sync()\nif (isWritten)'],
  ],
  [
    'no look behind a close',
    'record',
    ['await this.sync() this.check() } #fail(failure', 'await this.sync() } #fail(failure'],
  ],
  [
    'the record is not read again behind a new part',
    'record',
    [
      'const again = await RunRecord.read(this.#host, dirname(this.folder), run)',
      'const again = await Promise.resolve<RunRecord | undefined>(this)',
    ],
  ],
  [
    'other ids than were asked about are due',
    'record',
    ['dueIn(again.state) === dueIn(asked)', 'again.state.due === asked.due'],
  ],
  [
    'two can make the same part',
    'own-part',
    ['O_WRONLY | O_APPEND | O_CREAT | O_EXCL', 'O_WRONLY | O_APPEND | O_CREAT'],
  ],
  [
    'a run that was closed meanwhile goes on',
    'state',
    [
      'return this.isClosed || this.damage !== undefined ? 0 : this.#dueCount',
      'return this.damage !== undefined ? 0 : this.#dueCount',
    ],
  ],
  // What the lines mean
  [
    'an attempt leaves what was known',
    'state',
    [
      'this.#last[index] = line',
      "if (line.t === 'res' || this.#last[index]?.t !== 'res') this.#last[index] = line",
    ],
  ],
  [
    'a refusal ends a doubt',
    'send',
    ["each === 'unknown' ? each : 'error'", "each === 'unknown' ? 'error' : 'error'"],
  ],
  [
    'an attempt that never left ends a doubt',
    'send',
    [
      'return { ...facts, o: oneIfSame(batch.outcomesBefore), due: true }',
      "return { ...facts, o: 'not-attempted', due: true }",
    ],
  ],
  [
    'a lost merge is sent again',
    'send',
    ['const isResent = operation.isFinalIfLost !== true', 'const isResent = true'],
  ],
  [
    'a merge without a result is sent again',
    'state',
    ['this.knownHead?.isFinalIfLost !== true', 'this.head !== undefined'],
  ],
  [
    'a ticket in doubt is sent over somebody else',
    'send',
    ["isAsBefore ? 'send' :", "isAsBefore || last !== undefined ? 'send' :"],
  ],
  [
    'checksums are not compared',
    'lines',
    ['return text === `${body}${tailOf(c)}` ?', 'return text.length > 0 && c >= 0 ?'],
  ],
  [
    'a part can stand behind any line',
    'record',
    ['this.#checksums.has(line.after)', 'this.#checksums.size >= 0'],
  ],
  [
    'a write that is short is whole',
    'own-part',
    ["throw Object.assign(new Error('short write'), { code: 'ENOSPC' })", 'this.#checksum = c'],
  ],
  [
    'an attempt without a result added nothing',
    'state',
    [
      "return this.#hasLostAnswer || this.#last.some((line) => line?.t === 'try')",
      'return this.#hasLostAnswer',
    ],
  ],
  [
    'an undo gives back what a reading showed',
    'undo',
    [
      "const isConfirmed = outcome === 'done' && before !== undefined && after !== undefined",
      "const isConfirmed = outcome === 'done' || (before !== undefined && after !== undefined)",
    ],
    'undo',
    [
      'items.add({ id, line, target: before, expected: after })',
      'items.add({ id, line, target: before ?? id, expected: after })',
    ],
  ],
  // The file of receipts
  [
    'a file of somebody else is replaced',
    'receipts-file',
    ['nameDraft(host, draft, path, isReplacing)', 'nameDraft(host, draft, path, draft !== path)'],
  ],
  [
    'the draft of the receipts stays',
    'run',
    ['if (isWritten) removeDraft(tools.host, receipts.path, record.run)', ''],
  ],
].map(([name, ...edits]) => ({
  name,
  edits: edits.flatMap((file, at) => {
    const [from, to] = edits[at + 1] ?? []
    return at % 2 === 0 ? [{ file: `src/runs/${file}.ts`, from, to }] : []
  }),
}))

const operations = [
  [
    'what is absent after a doubt was never there',
    'src/commands/contacts/delete.ts',
    "return outcomesBefore[at] === 'unknown' ? 'gone' : 'not-found'",
    "return 'not-found'",
  ],
  [
    'halves add up to the whole request',
    'src/commands/lists/add-contacts.ts',
    "return { outcomes: 'unknown', due: true, added }",
    "return { outcomes: 'done', added }",
  ],
].map(([name, file, from, to]) => ({ name, edits: [{ file, from, to }] }))

export const planted = [...all, ...operations]
