/** Who may sign: an allowed_signers file of OpenSSH, with one plain principal per line. */
import { SvcError } from '../errors.ts'

const line =
  /^(?<principal>[^\s"',*?!#]+)(?: (?:(?:namespaces|valid-after|valid-before)="?[^\s"]*"?,?)+)? (?:ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/]+=*(?: .*)?$/i

/** Its lines as ssh-keygen takes them, whatever their line ends were. Throws exit 2, naming the first line that is none. */
export function checkedSigners(text: string, path: string): string {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((each) => each.replaceAll('\t', ' ').trim())
  const bad = lines.findIndex((each) => each !== '' && !each.startsWith('#') && !line.test(each))
  if (bad < 0) return `${lines.join('\n')}\n`
  throw new SvcError('config', `${path}, line ${bad + 1}, is not one plain principal with its key`, {
    hint: 'a line is a name, options (namespaces, valid-after, valid-before) if there are any, and a public key; no pattern, no authority',
  })
}
