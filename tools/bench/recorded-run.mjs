/** Recorded runs as svc leaves them, any number and any size, without a request: what reading them back is measured on. */
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

const batchSize = 100
const startedAt = Date.parse('2026-03-01T10:15:00Z')

/** A file in pieces of a batch each; returns its SHA-256. */
function writePieces(path, batches, pieceOf) {
  const sum = createHash('sha256')
  const file = openSync(path, 'wx', 0o600)
  for (let first = 1; first <= batches; first += 100) {
    let text = ''
    for (let batch = first; batch < first + 100 && batch <= batches; batch += 1) text += pieceOf(batch)
    sum.update(text)
    writeSync(file, text)
  }
  closeSync(file)
  return sum.digest('hex')
}

function line(event) {
  const text = JSON.stringify(event)
  return `${text.slice(0, -1)},"c":"${crc32(text).toString(16).padStart(8, '0')}"}\n`
}

const idOf = (n) => (n * 7919 + 1).toString(16).padStart(24, '0')

/**
 * A delete of `ids` ids, none of which the service has. `number`: from 0, tells its runs apart. `ending`: `end` is a run that
 * came to its end; `in-flight` was killed with one batch in flight, `answered` after its last answer. Returns the run's id.
 */
export function writeRun(stateDir, { number = 0, ids = 100, ending = 'end', baseUrl = 'http://127.0.0.1:9' } = {}) {
  const began = startedAt + number * 1000
  const run = `${new Date(began).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z-0000`
  const dir = join(stateDir, 'runs', run)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const batches = Math.ceil(ids / batchSize)
  const idsOf = (batch) => {
    const from = (batch - 1) * batchSize
    return Array.from({ length: Math.min(batchSize, ids - from) }, (_, n) => idOf(from + n))
  }
  const sum = writePieces(join(dir, 'ids'), batches, (batch) => `${idsOf(batch).join('\n')}\n`)
  const lines = writePieces(join(dir, 'lines'), batches, (batch) =>
    idsOf(batch)
      .map((_, n) => `${(batch - 1) * batchSize + n + 1}\n`)
      .join(''),
  )
  const description = `${JSON.stringify({
    schema: 'svc.run/2',
    run,
    operation: 'contacts.delete',
    target: null,
    baseUrl,
    profile: null,
    key: { fingerprint: '0123456789abcdef', ending: 'cdef' },
    options: { batchSize, concurrency: 4 },
    input: { read: ids, unique: ids, duplicates: 0, invalid: 0, sha256: sum },
    items: ids,
    kind: 'ids',
    startedAt: new Date(began).toISOString(),
    version: '1.0.0',
  })}\n`
  writeFileSync(join(dir, 'run.json'), description, { mode: 0o600, flag: 'wx' })
  const sums = { run: createHash('sha256').update(description).digest('hex'), ids: sum, lines }
  const place = { at: began, b: 0, a: 1 }
  writePieces(join(dir, 'journal.ndjson'), batches, (b) => {
    const begin = b > 1 ? '' : line({ t: 'begin', at: began, schema: 'svc.run/2', run, sums })
    const tried = line({ t: 'try', ...place, b, d: 0 })
    if (b === batches && ending === 'in-flight') return `${begin}${tried}`
    const data = { deletedCount: 0, notFoundIds: idsOf(b), blockedIds: [] }
    const answered = line({ t: 'res', ...place, b, k: 'answered', s: 200, d: data })
    if (b < batches || ending === 'answered') return `${begin}${tried}${answered}`
    const result = { deleted: 0, gone: 0, notFound: ids, blocked: 0, error: 0, unknown: 0, notAttempted: 0 }
    return `${begin}${tried}${answered}${line({ t: 'end', at: began, status: 'partial', exitCode: 3, result, left: 0 })}`
  })
  return run
}
