import { execFile } from 'node:child_process';
import { MIB } from '@fovea/core/base';

const LIMIT_BYTES = 20 * MIB;
const TIMEOUT_MS = 5000;

interface Reader {
  readonly command: string;
  readonly arguments: readonly string[];
}

/** Programs that print the clipboard's picture, by platform; the first that prints one wins. */
const readers: Readonly<Record<string, readonly Reader[]>> = {
  linux: [
    { command: 'wl-paste', arguments: ['--no-newline', '--type', 'image/png'] },
    { command: 'xclip', arguments: ['-selection', 'clipboard', '-target', 'image/png', '-out'] },
  ],
  darwin: [{ command: 'pngpaste', arguments: ['-'] }],
};

/** In WSL the clipboard is that of Windows; the picture comes as base64, because pipes there are text. */
const windowsReader: Reader = {
  command: 'powershell.exe',
  arguments: [
    '-NoProfile',
    '-NonInteractive',
    '-STA',
    '-Command',
    'Add-Type -AssemblyName System.Windows.Forms;$p=[Windows.Forms.Clipboard]::GetImage();if($p){$m=New-Object IO.MemoryStream;$p.Save($m,[Drawing.Imaging.ImageFormat]::Png);[Convert]::ToBase64String($m.ToArray())}',
  ],
};

/** What these programs need to find the display; they inherit nothing else, keys least of all. */
const inheritedNames = [
  'PATH',
  'HOME',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'SystemRoot',
  'WSL_INTEROP',
  'WSLENV',
];

/** The clipboard's picture as PNG bytes; absent when there is none or no program can read it. */
export async function readClipboardPicture(platform: string = process.platform): Promise<Uint8Array | undefined> {
  for (const reader of readers[platform] ?? []) {
    const bytes = await capture(reader);
    if (bytes.length > 0) return bytes;
  }
  if (platform === 'darwin') return undefined;
  const text = (await capture(windowsReader)).toString('latin1').trim();
  return text === '' ? undefined : Buffer.from(text, 'base64');
}

function environmentForReaders(): Record<string, string> {
  return Object.fromEntries(
    inheritedNames.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function capture(reader: Reader): Promise<Buffer> {
  return new Promise((resolve) => {
    execFile(
      reader.command,
      reader.arguments,
      {
        encoding: 'buffer',
        maxBuffer: LIMIT_BYTES,
        timeout: TIMEOUT_MS,
        windowsHide: true,
        env: environmentForReaders(),
      },
      (error, output) => resolve(error === null ? output : Buffer.alloc(0)),
    );
  });
}
