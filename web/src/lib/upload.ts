// What the browser can know of a file before the server has read it: the names in its head, for
// when the server could not tell which column is what.

const delimiters = ['\t', ';', '|', ','];

function cells(line: string, delimiter: string): string[] {
  const out: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < line.length; i += 1) {
    const ch = line[i]!;
    if (quoted && ch === '"' && line[i + 1] === '"') {
      cell += '"';
      i += 1;
    } else if (ch === '"') quoted = !quoted;
    else if (ch === delimiter && !quoted) {
      out.push(cell);
      cell = '';
    } else cell += ch;
  }
  return [...out, cell].map((name) => name.trim());
}

/** Names of columns in the first line of a text; none if it does not look like a table. */
export function headOf(text: string): string[] {
  const line = text.replace(/^\ufeff/, '').split(/\r?\n/, 1)[0] ?? '';
  if (line.startsWith('{')) {
    try {
      return Object.keys(JSON.parse(line) as object);
    } catch {
      return [];
    }
  }
  const best = delimiters
    .map((delimiter) => cells(line, delimiter))
    .reduce((a, b) => (b.length > a.length ? b : a), []);
  // RecBole's files say the type behind the name, which is no part of it.
  return best.length > 1 ? best.map((name) => name.replace(/:(token|float)(_seq)?$/, '')) : [];
}

export async function headOfFile(file: Blob): Promise<string[]> {
  const longest = 64 * 1024;
  const start = new Uint8Array(await file.slice(0, longest).arrayBuffer());
  if (start[0] === 0x1f && start[1] === 0x8b) return []; // gzip
  return headOf(new TextDecoder().decode(start));
}
