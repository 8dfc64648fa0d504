/** JSON as a document, read at once, and as one value a line, streamed. */
import { isUtf8 } from 'node:buffer'
import { messageOf, usageError } from '../errors.ts'
import { invalidUtf8At, lineText, type BadLines, type Place } from './bad-lines.ts'
import { shorten, trimBlanks } from './id.ts'
import { LineScanner } from './scan.ts'
import { refuseNul } from './encoding.ts'
import { readWhole, type OpenInput } from './input.ts'

/** A JSON document is read at once; larger ones must come as NDJSON. */
export const largestDocument = 256 << 20

/** Reads one value a line; blank lines are left out, a line that is no JSON is a bad one. */
export async function readNdjson(
  open: OpenInput,
  bad: BadLines,
  onValue: (value: unknown, place: Place) => void,
): Promise<void> {
  const scanner = new LineScanner(
    {
      onLine(line) {
        const place: Place = { input: open.name, unit: 'line', line: line.number }
        const text = lineText(bad, place, line)
        if (text === undefined || trimBlanks(text) === '') return
        let value: unknown
        try {
          value = JSON.parse(text)
        } catch (error) {
          bad.add(place, text, `not JSON: ${shorten(messageOf(error), 120)}`)
          return
        }
        onValue(value, place)
      },
      onNul: (offset, line) => refuseNul(open.name, offset, line),
    },
    open.offset,
  )
  for await (const chunk of open.chunks) {
    scanner.feed(chunk)
    await bad.flush()
  }
  scanner.finish()
}

/** The value of a document; undefined when there is nothing in it. Throws exit 2 when it is no JSON, or too long. */
export async function readDocument(open: OpenInput): Promise<unknown> {
  const bytes = await readWhole(open, largestDocument)
  if (!isUtf8(bytes)) {
    const at = (open.offset + invalidUtf8At(bytes)).toLocaleString('en-US')
    throw usageError(`${open.name} is not valid UTF-8: byte ${at}`, 'save it as UTF-8')
  }
  const text = bytes.toString('utf8')
  if (trimBlanks(text) === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw usageError(
      `${open.name} is not a JSON document: ${shorten(messageOf(error), 200)}`,
      'a document is one value; several, one a line, are ndjson (jq -c)',
    )
  }
}
