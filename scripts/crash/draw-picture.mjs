// Small pictures, another one for each number.
import { PNG } from 'pngjs';

/** A PNG of 24 x 16 pixels. @param {number} number */
export function drawPicture(number) {
  const picture = new PNG({ width: 24, height: 16 });
  for (let at = 0; at < picture.data.length; at += 4) {
    picture.data[at] = number % 256;
    picture.data[at + 1] = (at * 7) % 256;
    picture.data[at + 2] = Math.floor(number / 256) % 256;
    picture.data[at + 3] = 255;
  }
  return PNG.sync.write(picture);
}
