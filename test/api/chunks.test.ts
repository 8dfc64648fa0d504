/** Reads of chunks, whatever cursors the service returns. */
import { describe, expect, test } from 'vitest'
import { followChunks } from '../../src/api/chunks.ts'
import type { HistoryChunk } from '../../src/api/schemas.ts'

const ticket = { id: '0'.repeat(24) }

/** A service whose chunks stand in a map by cursor; '' is the first. */
function chunksBy(
  chunks: Readonly<Record<string, readonly [ids: readonly number[], next?: string | null]>>,
) {
  const asked: (string | undefined)[] = []
  const fetchChunk = (cursor: string | undefined): Promise<HistoryChunk> => {
    asked.push(cursor)
    if (asked.length > 100) throw new Error('the walk has no end')
    const [ids, next] = chunks[cursor ?? ''] ?? [[]]
    const messages = ids.map((id) => ({ id: String(id) }))
    return Promise.resolve({
      ticket,
      messages,
      ...(next === undefined ? {} : { nextChunkStartMessageId: next }),
    })
  }
  return { asked, fetchChunk }
}

async function idsOf(chunks: AsyncIterable<HistoryChunk>): Promise<string[]> {
  const ids: string[] = []
  for await (const { messages } of chunks) ids.push(...messages.map(({ id }) => id))
  return ids
}

describe('chunks', () => {
  test.each<[string, Parameters<typeof chunksBy>[0], number[]]>([
    ['one', { '': [[3, 2, 1]] }, [3, 2, 1]],
    ['none', { '': [[]] }, []],
    [
      'a cursor that begins the next',
      { '': [[5, 4], '3'], 3: [[3, 2], '1'], 1: [[1]] },
      [5, 4, 3, 2, 1],
    ],
    [
      'a cursor that ended this one',
      { '': [[5, 4], '4'], 4: [[3, 2], '2'], 2: [[1]] },
      [5, 4, 3, 2, 1],
    ],
    ['chunks that overlap', { '': [[5, 4], '4'], 4: [[4, 3], '3'], 3: [[3, 2]] }, [5, 4, 3, 2]],
    ['an empty last one', { '': [[2, 1], '1'], 1: [[]] }, [2, 1]],
    ['null for no cursor', { '': [[2, 1], null] }, [2, 1]],
    ['an empty one in between', { '': [[3], 'a'], a: [[], 'b'], b: [[2]] }, [3, 2]],
  ])('%s', async (_, chunks, ids) => {
    expect(await idsOf(followChunks(chunksBy(chunks).fetchChunk))).toEqual(ids.map(String))
  })

  test.each<[string, Parameters<typeof chunksBy>[0]]>([
    ['the cursor that was sent', { '': [[3], 'a'], a: [[2], 'a'] }],
    ['an earlier cursor', { '': [[3], 'a'], a: [[2], 'b'], b: [[1], 'a'] }],
    ['an empty cursor', { '': [[3], ''] }],
  ])('%s ends the read with exit 7', async (_, chunks) => {
    const { asked, fetchChunk } = chunksBy(chunks)
    await expect(idsOf(followChunks(fetchChunk))).rejects.toMatchObject({
      exitCode: 7,
      message: 'the service returned an empty or a used cursor',
    })
    expect(asked).toHaveLength(Object.keys(chunks).length)
  })

  test('no chunk is asked for that is not needed', async () => {
    const { asked, fetchChunk } = chunksBy({ '': [[5, 4], 'a'], a: [[3, 2], 'b'], b: [[1]] })
    for (const enough of [3, 4]) {
      asked.length = 0
      expect(await idsOf(followChunks(fetchChunk, enough))).toEqual(['5', '4', '3', '2'])
      expect(asked).toEqual([undefined, 'a'])
    }
  })
})
