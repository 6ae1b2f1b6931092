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

window.addEventListener("load", () => document.querySelector(".xterm-helper-textarea")?.focus());
document.getElementById("again").addEventListener("click", () => location.reload());
new MutationObserver(() => {
  const ended = document.getElementById("ended");
  if (document.body.classList.contains("-closed") && ended.hidden) {
    removeEventListener("beforeunload", asksBeforeLeaving);
    ended.hidden = false;
    document.getElementById("again").focus();
  }
}).observe(document.body, { attributeFilter: ["class"] });
