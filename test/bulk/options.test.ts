/** Every option of the bulk commands, and the order of events. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { manyIds } from '../ids/inputs.ts'
import { createWorld } from '../svc.ts'
import { createBulkWorld, linesOf, receiptsOf, tally, type ReceiptLine, type SummaryDocument } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, file, free, busy, sandbox, fresh } = world
/** Contacts that only one test deletes. */

const writes = (): number => sandbox.requests.filter(({ method }) => method !== 'GET').length

async function refused(line: string, options = {}): Promise<string> {
  const before = writes()
  const { code, stdout, stderr } = await svc(`${line} ${line.includes('--state-dir') ? '' : world.state()}`, options)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(writes()).toBe(before)
  return stderr
}

describe('where ids come from', () => {
  it('takes arguments, several files and standard input together, each id once', async () => {
    const [a = '', b = '', c = '', d = ''] = fresh(4)
    const files = `--file ${file('one.txt', [a, b])} --file ${file('two.csv', ['name,id', `x,${c}`, `y,${a.toUpperCase()}`])}`
    const { summary } = await bulk(`contacts delete ${b} - ${files} --yes`, { stdin: `${d}\n` })
    expect(summary.input).toMatchObject({ read: 6, unique: 4, duplicates: 2, invalid: 0 })
    expect(summary.result).toMatchObject({ deleted: 4 })
  })

  it('reads standard input only when "-" is given', async () => {
    expect(await refused('contacts delete', { stdin: free[0] })).toContain('no ids were given')
    const { summary } = await bulk('contacts delete --file - --yes', { stdin: fresh(2).join('\r\n') })
    expect(summary.result['deleted']).toBe(2)
  })

  it.each([
    ['--input-format csv --column 2', ['x;id', 'a;ID', 'b;ID']],
    ['--input-format json --column contact.id', ['[{"contact":{"id":"ID"}},', '{"contact":{"id":"ID"}}]']],
    ['--input-format ndjson', ['{"contactId":"ID"}', '{"contact_id":"ID"}']],
  ])('%s', async (options, lines) => {
    const ids = fresh(2)
    const path = file(
      'input',
      lines.map((line) => line.replace('ID', () => ids.shift() ?? '')),
    )
    const { summary } = await bulk(`contacts delete --file ${path} ${options} --yes`)
    expect(summary.result['deleted']).toBe(2)
  })

  it.each([
    ['a file that is not there', '--file /nowhere/ids.txt', 'no such file'],
    ['an unknown format', '--file IDS --input-format xml', 'not "xml"'],
    ['several columns and none named', '--file TWO', '--column'],
    ['rejects of nothing that is skipped', '--file IDS --rejects r.txt', '--skip-invalid'],
    ['a size of batches', '--file IDS --batch-size 50', '--batch-size'],
    ['33 at once', '--file IDS --concurrency 33', '32'],
    ['a shard beyond the last', '--file IDS --shard 3/2', '3/2'],
    ['no duration', '--file IDS --deadline soon', 'deadline'],
    ['no rate', '--file IDS --rate 10/m', '10/s'],
    ['receipts of another kind', '--file IDS --receipts out.xlsx', '.csv or .ndjson'],
  ])('refuses %s', async (_, options, words) => {
    const line = options.replace('IDS', file('ids', [free[0] ?? ''])).replace('TWO', file('two', ['a,b', 'c,d']))
    expect(await refused(`contacts delete --yes ${line}`)).toContain(words)
  })
})

describe('bad lines', () => {
  it('refuses the whole input before the first write, naming twenty lines and the total', async () => {
    const bad = Array.from({ length: 30 }, (_, i) => `oops${i}`)
    const stderr = await refused(`contacts delete --yes --file ${file('bad.txt', [free[0] ?? '', ...bad])}`)
    expect(stderr).toContain('30 ids are invalid')
    expect(stderr).toContain('line 21')
    expect(stderr).not.toContain('line 22')
    expect(stderr).toContain('and 10 more')
  })

  it('--rejects makes nothing live that was not', async () => {
    const bad = ['=cmd|x', '+1;=cmd|x', 'a\u001b[2J\u0007', '\u202eb', 'c,"d"', 'oops']
    const path = file('hostile;=cmd.txt', [...fresh(1), ...bad])
    const rejects = join(world.folder, 'rejects.csv')
    await bulk(`contacts delete --yes --file '${path}' --input-format lines --skip-invalid --rejects ${rejects}`)
    const lines = readFileSync(rejects, 'utf8').trimEnd().split('\n')
    const guarded = ['"\'=cmd|x"', `"'+1;'=cmd|x"`, 'a\\u{1b}[2J\\u{7}', '\\u{202e}b', '"c,""d"""', 'oops']
    expect(lines.filter((line) => !line.startsWith('#'))).toEqual(guarded)
    expect(lines.filter((line) => /(?:^|;)[=+@-]/.test(line))).toEqual([])
  })

  it('leaves them out with --skip-invalid, and writes them down with --rejects', async () => {
    const ids = fresh(3)
    const path = file('mixed.txt', [ids[0] ?? '', 'oops', ids[1] ?? '', '5.07E+23', ids[2] ?? ''])
    const rejects = join(world.folder, 'rejects.txt')
    const { code, summary, stderr } = await bulk(
      `contacts delete --yes --file ${path} --skip-invalid --rejects ${rejects}`,
    )
    expect(code).toBe(0)
    expect(summary.input).toMatchObject({ read: 5, unique: 3, invalid: 2 })
    expect(stderr).toContain('2 bad lines were skipped')
    const lines = readFileSync(rejects, 'utf8').split('\n')
    expect([lines[1], lines[3]]).toEqual(['oops', '5.07E+23'])
    expect(lines[0]).toMatch(/^# .*line 2/)
    // What was mended can be read as it is.
    writeFileSync(
      rejects,
      readFileSync(rejects, 'utf8')
        .replace('oops', free[500] ?? '')
        .replace('5.07E+23', free[501] ?? ''),
    )
    expect((await bulk(`contacts delete --dry-run --file ${rejects}`)).summary.input).toMatchObject({
      unique: 2,
      invalid: 0,
    })
  })

  it('never overwrites a rejects file', async () => {
    const path = file('kept.txt', ['kept'])
    const ids = file('ids', [free[0] ?? ''])
    expect(await refused(`contacts delete --yes --file ${ids} --skip-invalid --rejects ${path}`)).toContain(
      'exists already',
    )
    expect(readFileSync(path, 'utf8')).toBe('kept\n')
  })
})

describe('--dry-run', () => {
  it('needs no profile for ids alone, sends nothing, and says what would be sent', async () => {
    const bare = createWorld()
    const ids = file('ids', free.slice(0, 250))
    for (const command of [
      'contacts delete',
      'lists add-contacts 64a000000000000000000001',
      'tickets assign --to 64a000000000000000000001',
    ]) {
      const { code, stdout, stderr } = await bare.svc(`${command} --file ${ids} --dry-run --json`)
      expect({ command, code, stderr: stderr.includes('250') }).toEqual({ command, code: 0, stderr: true })
      expect(JSON.parse(stdout)).toMatchObject({
        dryRun: true,
        status: 'dry-run',
        run: null,
        result: { notAttempted: 250 },
        exitCode: 0,
      })
    }
  })

  it('names host, profile and key, first and last id', async () => {
    const before = sandbox.requests.length
    const { stderr } = await bulk(`contacts delete --file ${file('ids', free.slice(0, 3))} --dry-run`)
    expect(sandbox.requests.length).toBe(before)
    for (const part of ['127.0.0.1', '…x_rw', '3 contacts in 1 request', free[0] ?? '', free[2] ?? ''])
      expect(stderr).toContain(part)
  })

  it('finds names by reading', async () => {
    const { summary, stderr } = await bulk(`lists add-contacts VIP ${free[0]} --dry-run`)
    expect(summary.status).toBe('dry-run')
    expect(stderr).toContain('VIP')
    const { code, stderr: words } = await svc(`lists add-contacts "No such list" ${free[0]} --dry-run`)
    expect(code).toBe(6)
    expect(words).toContain('No such list')
  })

  it('checks --expect as the run would', async () => {
    expect(await refused(`contacts delete ${free[0]} --dry-run --expect 2`)).toContain('--expect')
  })
})

describe('--expect and --max-delete', () => {
  it('count unique ids, and send nothing when the number is another one', async () => {
    const [a = '', b = ''] = fresh(2)
    const path = file('ids', [a, b, a])
    expect(await refused(`contacts delete --file ${path} --yes --expect 3`)).toContain(
      '2 unique ids would be sent, --expect says 3',
    )
    expect(await refused(`contacts delete --file ${path} --yes --max-delete 1`)).toContain('--max-delete allows 1')
    const { code } = await bulk(`contacts delete --file ${path} --yes --expect 2 --max-delete 2`)
    expect(code).toBe(0)
  })
})

describe('batches and --concurrency', () => {
  it('cut the input and bound the requests in flight', async () => {
    const ids = fresh(20)
    const before = sandbox.requests.length
    sandbox.setFaults('contacts.delete:1+=delay(30ms)')
    const { summary } = await bulk(`contacts delete --file ${file('ids', ids)} --yes batches-of=3 --concurrency 2`)
    sandbox.setFaults()
    expect(summary.batches).toEqual({ total: 7, done: 7, failed: 0, retried: 0 })
    const arrived = sandbox.requests.slice(before)
    expect(arrived.map(({ body }) => (JSON.parse(body) as { contactIds: string[] }).contactIds.length)).toEqual([
      3, 3, 3, 3, 3, 3, 2,
    ])
    // Never a third request within the 30 ms of two others.
    const times = arrived.map(({ at }) => at)
    for (let i = 2; i < times.length; i += 1) expect((times[i] ?? 0) - (times[i - 2] ?? 0)).toBeGreaterThanOrEqual(25)
  })
})

describe('1,000,000 ids', () => {
  const million = file('million', [manyIds(1_000_000).trimEnd()])
  const more = file('more', [manyIds(1_000_001).trimEnd()])

  it('are the most of a command', async () => {
    const plan = await svc(`contacts delete --file ${million} --dry-run --json ${world.state()}`)
    expect([plan.code, JSON.parse(plan.stdout)]).toMatchObject([0, { input: { unique: 1_000_000 } }])
  })

  it.each(['--yes', '--dry-run', `--plan ${join(world.folder, 'more.plan')} --reason many`, '--yes --shard 1/1'])(
    'one more is refused before anything is sent: %s',
    async (options) => {
      expect(await refused(`contacts delete --file ${more} ${options}`)).toContain(
        '1,000,001 ids would be sent, a command sends 1,000,000 at most; nothing was sent\n' +
          '  send them in 2 parts: --shard 1/2 to --shard 2/2\n',
      )
      expect(existsSync(join(world.folder, 'more.plan'))).toBe(false)
    },
  )

  it('are the most of a part, and the input may have more', async () => {
    const counts = [1, 2].map(async (part) => {
      const { stdout } = await svc(`contacts delete --file ${more} --shard ${part}/2 --dry-run --json ${world.state()}`)
      return (JSON.parse(stdout) as SummaryDocument).input
    })
    expect(await Promise.all(counts)).toMatchObject([
      { unique: 500_000, otherShards: 500_001 },
      { unique: 500_001, otherShards: 500_000 },
    ])
  })
})

describe('--shard', () => {
  it.each([
    [1, 20],
    [3, 20],
    [7, 5],
  ])('%i parts of %i cover every id exactly once, in order', async (parts, count) => {
    const ids = world.absent(count)
    const path = file('ids', ids)
    const covered: string[] = []
    for (let part = 1; part <= parts; part += 1) {
      const receipts = join(world.folder, `part-${part}-of-${parts}.ndjson`)
      const { summary } = await bulk(
        `contacts delete --file ${path} --yes batches-of=3 --shard ${part}/${parts} --receipts ${receipts}`,
      )
      const sent = receiptsOf(receipts).map(({ id }) => id)
      expect(summary.input.unique).toBe(sent.length)
      expect(sent.length + (summary.input.otherShards ?? 0)).toBe(count)
      covered.push(...sent)
    }
    expect(covered).toEqual(ids)
  })

  it('sends the parts of one file from several processes, each id once', async () => {
    const ids = fresh(250)
    const path = file('ids', ids)
    const before = sandbox.record.entries.length
    // Whatever each of them says of the size of its batches.
    for (const part of ['2/3 batches-of=7', '3/3', '1/3 batches-of=30']) {
      await bulk(`contacts delete --file ${path} --yes --expect 250 --max-delete 250 --shard ${part}`)
    }
    const part = await svc(`contacts delete --file ${path} --yes --expect 100 --shard 1/3 ${world.state()}`)
    expect(part).toMatchObject({ code: 2, stdout: '' })
    expect(part.stderr).toContain('250 unique ids would be sent by all shards, --expect says 100')
    const sent = sandbox.record.entries.slice(before).flatMap(({ deleted }) => deleted ?? [])
    expect(sent.toSorted()).toEqual(ids.toSorted())
  })

  it('an empty part is done, and merges are not shared', async () => {
    const parts = [1, 2].map((part) => bulk(`contacts delete ${free[600]} --yes --shard ${part}/2`))
    const [one, two] = (await Promise.all(parts)).toSorted((a, b) => a.summary.input.unique - b.summary.input.unique)
    expect(one).toMatchObject({
      code: 0,
      summary: { status: 'complete', input: { unique: 0, otherShards: 1 }, batches: { total: 0 } },
    })
    expect(one?.stderr).toContain('this shard is empty')
    expect(two).toMatchObject({ code: 0, summary: { result: { deleted: 1 } } })
    expect(await refused(`contacts merge --file ${file('p', ['source,target'])} --shard 1/2 --yes`)).toContain(
      '--shard',
    )
  })

  it('the help says how machines share a file', async () => {
    const { stdout } = await svc('help bulk')
    for (const word of ['CI matrix', 'parallel', 'JOB_COMPLETION_INDEX']) expect(stdout).toContain(word)
  })
})

describe('--receipts', () => {
  it('csv: a row for each id, in input order', async () => {
    const ids = [...fresh(5), ...busy.slice(0, 2), ...world.absent(1)]
    const path = join(world.folder, 'out.csv')
    const { code } = await bulk(
      `contacts delete --file ${file('ids', ['# a comment', ...ids])} --yes batches-of=2 --concurrency 4 --receipts ${path}`,
    )
    expect(code).toBe(3)
    const [header, ...rows] = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(header).toBe('id,line,outcome,batch,attempts,code,message')
    expect(rows).toEqual(
      ids.map(
        (id, i) => `${id},${i + 2},${i < 5 ? 'deleted' : i < 7 ? 'blocked' : 'not-found'},${Math.floor(i / 2) + 1},1,,`,
      ),
    )
  })

  it('ndjson: the same, with what the service said', async () => {
    sandbox.setFaults('contacts.delete:2=400')
    const ids = fresh(4)
    const path = join(world.folder, 'out.ndjson')
    await bulk(`contacts delete --file ${file('ids', ids)} --yes batches-of=2 --concurrency 1 --receipts ${path}`)
    sandbox.setFaults()
    const receipts = receiptsOf(path)
    expect(receipts.map(({ id }) => id)).toEqual(ids)
    expect(receipts[3]).toEqual({
      id: ids[3],
      line: 4,
      outcome: 'error',
      batch: 2,
      attempts: 1,
      code: 40001,
      message: 'Validation error',
    })
  })

  it('an existing file is refused and stays as it is', async () => {
    const path = file('kept.csv', ['kept'])
    expect(await refused(`contacts delete ${free[0]} --yes --receipts ${path}`)).toContain('exists already')
    expect(readFileSync(path, 'utf8')).toBe('kept\n')
  })

  it('a folder that is not there is refused before the first write', async () => {
    expect(await refused(`contacts delete ${free[0]} --yes --receipts /nowhere/out.csv`)).toContain('/nowhere/out.csv')
  })

  it('are not left behind when the run does not begin', async () => {
    const path = join(world.folder, 'declined.csv')
    expect((await svc(`contacts delete ${free[0]} --receipts ${path}`)).code).toBe(9)
    expect(existsSync(path)).toBe(false)
  })
})

describe('-o ndjson', () => {
  it('streams receipts in the order of completion, and keeps the summary on stderr with -q', async () => {
    const ids = fresh(6)
    sandbox.setFaults('contacts.delete:1=delay(200ms)')
    const { code, stdout, stderr } = await svc(
      `contacts delete --file ${file('ids', ids)} --yes batches-of=2 --concurrency 3 -o ndjson -q ${world.state()}`,
    )
    sandbox.setFaults()
    const receipts = linesOf<ReceiptLine>(stdout)
    expect(code).toBe(0)
    expect(receipts.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    expect(receipts.slice(-2).map(({ batch }) => batch)).toEqual([1, 1])
    const [summary, ...more] = linesOf<SummaryDocument & { type: string }>(stderr)
    expect(more).toEqual([])
    expect(summary).toMatchObject({ type: 'summary', status: 'complete', result: { deleted: 6 } })
  })

  it('has a row for each id on a stopped run, too', async () => {
    sandbox.setFaults('contacts.delete:2=401')
    const { stdout, stderr } = await svc(
      `contacts delete --file ${file('ids', fresh(6))} --yes batches-of=2 --concurrency 1 -o ndjson ${world.state()}`,
    )
    sandbox.setFaults()
    expect(tally(linesOf<ReceiptLine>(stdout))).toEqual({ deleted: 2, error: 2, 'not-attempted': 2 })
    expect(linesOf<{ type: string }>(stderr).at(-1)?.type).not.toBe(undefined)
  })
})

describe('--accept', () => {
  it.each([
    ['', 3],
    ['--accept blocked', 3],
    ['--accept not-found,blocked', 0],
    ['--accept not-found', 3],
  ])('%s: exit %i', async (options, expected) => {
    const { code, summary } = await bulk(`contacts delete ${busy[0]} ${world.absent(1)[0]} --yes ${options}`)
    expect(code).toBe(expected)
    expect(summary.status).toBe(expected === 0 ? 'complete' : 'partial')
    expect(summary.blockedIds).toHaveLength(1)
    expect(summary.notFoundIds).toHaveLength(1)
  })

  it('what an add does not find; an outcome that cannot be accepted is exit 2', async () => {
    const line = `lists add-contacts ${sandbox.examples.emptyList} ${busy[0]} ${world.absent(2).join(' ')}`
    for (const [options, expected] of [
      ['', 3],
      ['--accept undetermined', 0],
      ['--isolate', 3],
      ['--isolate --accept missing', 0],
    ] as const)
      expect([options, (await bulk(`${line} ${options}`)).code]).toEqual([options, expected])
    expect(await refused(`${line} --accept unknown`)).toContain('--accept')
  })

  it('a resumed run accepts what it began with', async () => {
    const state = world.state()
    const line = `contacts delete ${busy[0]} ${world.absent(1)[0]} --yes --accept not-found,blocked ${state}`
    const { summary } = await bulk(line)
    expect((await svc(`runs resume ${summary.run} ${state} -q`)).code).toBe(0)
  })

  it('when several ids are all not found, a note asks what they are', async () => {
    const asks = 'are they contact ids'
    expect((await bulk(`contacts delete ${world.absent(2).join(' ')} --yes`)).stderr).toContain(asks)
    expect((await bulk(`contacts delete ${world.absent(1).join(' ')} --yes`)).stderr).not.toContain(asks)
    expect((await bulk(`contacts delete ${busy[0]} ${world.absent(2).join(' ')} --yes`)).stderr).not.toContain(asks)
  })
})

describe('an empty input', () => {
  it.each(['contacts delete', 'lists add-contacts VIP', 'contacts delete --dry-run', 'contacts delete --shard 1/2'])(
    '%s: exit 2',
    async (command) => {
      expect(await refused(`${command} -`, { stdin: '# nothing\n' })).toContain('--allow-empty')
    },
  )

  it.each(['', '\n\n# nothing\n'])('%j with --allow-empty: exit 0, a summary of zeros and a note', async (stdin) => {
    const receipts = join(world.folder, `empty-${stdin.length}.csv`)
    const before = sandbox.requests.length
    const { code, summary, stderr } = await bulk(`contacts delete - --allow-empty --receipts ${receipts}`, { stdin })
    expect(code).toBe(0)
    expect(summary).toMatchObject({
      run: null,
      status: 'complete',
      input: { read: 0, unique: 0 },
      batches: { total: 0 },
    })
    expect(stderr).toContain('the input is empty')
    expect(readFileSync(receipts, 'utf8')).toBe('id,line,outcome,batch,attempts,code,message\n')
    expect(sandbox.requests.length).toBe(before)
  })
})

describe('pairs', () => {
  it('one employee by name and by id is one employee; two for one ticket are refused', async () => {
    const [ticket] = [...sandbox.store.tickets.all()].filter(
      ({ status, assigneeId }) => status === 'active' && assigneeId !== null,
    )
    const id = String(ticket?.['id'])
    const { employee } = sandbox.examples
    const { stdout } = await svc(`employees list --json`)
    const found = (JSON.parse(stdout) as { id: string; firstName: string; lastName: string }[]).find(
      (one) => one.id === employee,
    )
    const name = `${found?.firstName} ${found?.lastName}`
    const { summary } = await bulk(
      `tickets assign --file ${file('a.csv', ['ticket,employee', `https://example.com/t/${id},${employee}`, `${id},${name}`])} --dry-run`,
    )
    expect(summary.input).toMatchObject({ read: 2, unique: 1, duplicates: 1 })
    const other = (JSON.parse(stdout) as { id: string }[]).find((one) => one.id !== employee)?.id ?? ''
    expect(
      await refused(
        `tickets assign --file ${file('a.csv', ['ticket,employee', `${id},${employee}`, `${id},${other}`])}`,
      ),
    ).toContain(id)
  })

  it('names that fit no employee are named with their lines, all at once', async () => {
    const [one = '', two = '', three = ''] = free
    const { employee } = sandbox.examples
    const rows = ['ticket,employee', `${one},Nobody`, `${two},${employee}`, `${three},id:7`, `${two},Somebody Else`]
    const before = sandbox.requests.filter(({ method }) => method !== 'GET').length
    const { code, stderr } = await svc(`tickets assign --file ${file('a.csv', rows)} --yes ${world.state()}`)
    expect(code).toBe(6)
    expect(stderr).toContain('error: 3 pairs have no employee; nothing was sent\n')
    expect(stderr).toContain(`  no employee is called "Nobody" (line 2, ticket ${one})\n`)
    expect(stderr).toContain(`  "7" is not an id: ids have 24 hexadecimal digits (line 4, ticket ${three})\n`)
    expect(stderr).toContain(`  no employee is called "Somebody Else" (line 5, ticket ${two})\n`)
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toHaveLength(before)
    const single = await svc(`tickets assign --file ${file('a.csv', rows.slice(0, 2))} --yes ${world.state()}`)
    expect(single.stderr).toContain(`error: no employee is called "Nobody" (line 2, ticket ${one})\n`)
    const many = Array.from({ length: 25 }, (_, i) => `${free[i]},Nobody ${i}`)
    const cut = await svc(`tickets assign --file ${file('a.csv', ['ticket,employee', ...many])} --yes`)
    expect(cut.stderr).toContain('error: 25 pairs have no employee')
    expect(cut.stderr).toContain('  and 5 more\n')
  })

  it('pairs that failed are named by their ids and lines', async () => {
    const [a = '', b = '', c = ''] = free.slice(-3)
    const [nobody = ''] = world.absent(1)
    const pairs = file('pairs.csv', ['source,target', `${a},${b}`, `${c},${nobody}`])
    const { code, stderr } = await svc(`contacts merge --file ${pairs} --yes ${world.state()}`)
    expect(code).toBe(3)
    expect(stderr).toContain(`warning: line 3, contact ${c} into ${nobody}: error after 1 attempt: `)
  })
})
