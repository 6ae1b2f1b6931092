"use strict";
/* Around the terminal of textual-serve: where it connects to, downloads, its focus, and its end. */
const terminal = document.getElementById("terminal");
terminal.dataset.sessionWebsocketUrl = new URL("window", location.href).href.replace(/^http/, "ws");

const openWindow = window.open.bind(window);
window.open = (address, where) => {
  const url = new URL(address, location.href);
  if (url.origin === location.origin && url.pathname.startsWith("/download/")) {
    const link = document.createElement("a");
    link.href = url.pathname.slice(1); // beneath the token
    link.download = "";
    link.click();
    return null;
  }
  return /^https?:$/.test(url.protocol) ? openWindow(url.href, where, "noopener") : null;
};

const asksBeforeLeaving = (event) => event.preventDefault();
addEventListener("beforeunload", asksBeforeLeaving);

document.getElementById("again").addEventListener("click", () => location.reload());
let begun = false;
new MutationObserver(() => {
  const now = document.body.classList;
  if (now.contains("-first-byte") && !begun) {
    begun = true;
    document.querySelector(".xterm-helper-textarea").focus();
  }
  const ended = document.getElementById("ended");
  if (now.contains("-closed") && ended.hidden) {
    removeEventListener("beforeunload", asksBeforeLeaving);
    ended.hidden = false;
    document.getElementById("again").focus();
  }
}).observe(document.body, { attributeFilter: ["class"] });
