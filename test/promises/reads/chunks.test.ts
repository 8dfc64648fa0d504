/** Reads of chunks, whatever cursors the service returns. */
import { describe, expect, test } from 'vitest'
import { followChunks } from '../../../src/api/pages.ts'
import type { HistoryChunk } from '../../../src/api/schemas.ts'
import { table } from '../../support/table.ts'

const ticket = { id: '0'.repeat(24) }

/** A service with chunks such as `5 4 next=a; a: 3 2`: the first one, and others behind the cursor that leads to them. */
function chunksBy(text: string) {
  const asked: (string | undefined)[] = []
  const chunks = text.split('; ').map((chunk, n) => (n === 0 ? `: ${chunk}` : chunk).split(': '))
  const fetchChunk = (cursor: string | undefined): Promise<HistoryChunk> => {
    asked.push(cursor)
    if (asked.length > 100) throw new Error('the walk has no end')
    const [, chunk = ''] = chunks.find(([name]) => name === (cursor ?? '')) ?? []
    const [, next] = /next=(\w*)/.exec(chunk) ?? []
    const messages = [...chunk.replace(/next=.*/, '').matchAll(/\d+/g)].map(([id]) => ({ id }))
    const more =
      next === undefined ? {} : { nextChunkStartMessageId: next === 'null' ? null : next }
    return Promise.resolve({ ticket, messages, ...more })
  }
  return { asked, fetchChunk }
}

async function idsOf(chunks: AsyncIterable<HistoryChunk>): Promise<string[]> {
  const ids: string[] = []
  for await (const { messages } of chunks) ids.push(...messages.map(({ id }) => id))
  return ids
}

describe('chunks', () => {
  const walks = table(`
    one                          | 3 2 1                                 | 3 2 1
    none                         |                                       |
    a cursor that begins the next | 5 4 next=3; 3: 3 2 next=1; 1: 1      | 5 4 3 2 1
    chunks that overlap          | 5 4 next=4; 4: 4 3 next=3; 3: 5 3 2   | 5 4 3 2
    an empty last one            | 2 1 next=1; 1:                        | 2 1
    null for no cursor           | 2 1 next=null                         | 2 1
    an empty one in between      | 3 next=a; a: next=b; b: 2             | 3 2`)
  test.each(walks)('%s', async (_, chunks = '', ids) => {
    expect((await idsOf(followChunks(chunksBy(chunks).fetchChunk))).join(' ')).toBe(ids)
  })

  test.each(
    table(`
    the cursor that was sent | 3 next=a; a: 2 next=a
    an earlier cursor        | 3 next=a; a: 2 next=b; b: 1 next=a
    an empty cursor          | 3 next=`),
  )('%s ends the read with exit 7', async (_, chunks = '') => {
    const { asked, fetchChunk } = chunksBy(chunks)
    await expect(idsOf(followChunks(fetchChunk))).rejects.toMatchObject({
      exitCode: 7,
      message:
        'the history does not end: the service sent a cursor that is empty or was used before',
    })
    expect(asked).toHaveLength(chunks.split('; ').length)
  })

  /** Reads a history of which every chunk has a new cursor, and the n-th one these messages. */
  async function readForever(idsIn: (n: number) => string[]) {
    let asked = 0
    const fetchChunk = () => {
      asked += 1
      const messages = idsIn(asked).map((id) => ({ id }))
      return Promise.resolve({ ticket, messages, nextChunkStartMessageId: `${asked}` })
    }
    const message =
      'the history does not end: the service sent 100 chunks in a row without a message'
    await expect(idsOf(followChunks(fetchChunk))).rejects.toMatchObject({ exitCode: 7, message })
    return asked
  }

  test('a hundred chunks in a row without a new message end the read with exit 7', async () => {
    expect(await readForever(() => [])).toBe(100)
    expect(await readForever((n) => (n === 100 ? ['message'] : []))).toBe(200)
    expect(await readForever((n) => [`${n % 2}`])).toBe(102)
  })
})
