/** `index.html` and `SHA256SUMS` of a folder of pages: what is in it, and by what others see that nothing was changed. */
import { createHash } from 'node:crypto'
import { open, readdir } from 'node:fs/promises'
import { constants } from 'node:fs'
import { join } from 'node:path'
import { noFollow, replaceFile } from '../../bulk/record/disk.ts'
import { indexPage } from '../../output/formats/index-page.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Writes both of the pages that are there now, whole, by way of `draft`. `check` throws when the folder is not ours any more. */
export async function writeContents(folder: string, draft: string, check: () => Promise<void>): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^[0-9a-f]{24}\.html$/.test(name)).sort()
  const pages: { name: string; head: string; sum: string }[] = []
  for (const name of names) pages.push({ name, ...(await looked(join(folder, name))) })
  const index = Buffer.from(indexPage(pages))
  const sums = [...pages, { name: 'index.html', sum: sha256(index) }].map(({ name, sum }) => `${sum}  ${name}\n`)
  for (const [name, bytes] of [
    ['index.html', index],
    ['SHA256SUMS', Buffer.from(sums.join(''))],
  ] as const)
    await replaceFile(join(folder, name), draft, [bytes], check)
}

/** The beginning of a page, and the checksum of all of it. */
async function looked(path: string): Promise<{ head: string; sum: string }> {
  const file = await open(path, constants.O_RDONLY | noFollow)
  try {
    const sum = createHash('sha256')
    let head = ''
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      const bytes = chunk as Buffer
      if (head === '') head = bytes.toString('utf8')
      sum.update(bytes)
    }
    return { head, sum: sum.digest('hex') }
  } finally {
    await file.close()
  }
}
